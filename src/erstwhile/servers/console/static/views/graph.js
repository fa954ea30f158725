// Entities and their relations, at the moment of the console.
import { useEffect, useMemo, useState } from "../vendor/hooks.mjs";
import { get, id, items, moment, useQuery } from "../api.js";
import { cut, plural } from "../format.js";
import { settle } from "../springs.js";
import { Empty, FactText, Loaded, Page, Panel, Search, State, html, useWidth } from "../ui.js";

const MOST = 300;
const HEIGHT = 560;

export default function Graph({ rest }) {
  const [search, setSearch] = useState("");
  const [extra, setExtra] = useState([]);
  const facts = useQuery(async () => items(await get("/facts", { limit: 500, ...moment() })), [moment()]);
  // A chosen or searched entity brings its own facts, of which the newest ones above may have none.
  useEffect(() => {
    const name = rest || search;
    if (!name) return;
    get("/facts", { entity: name, limit: 200, ...moment() }).then((page) => setExtra((old) => [...old, ...items(page)]), () => null);
  }, [rest, search, JSON.stringify(moment())]);
  return html`<${Page} title="Graph" lead="People and things, and how facts relate them. Click a node to read what is known about it, and to see its neighbours.">
    <${Loaded} query=${facts}>${(all) => html`<${Explorer} facts=${[...new Map([...all, ...extra].map((fact) => [fact.id, fact])).values()]} chosen=${rest} search=${search} setSearch=${setSearch} />`}<//>
  <//>`;
}

// The nodes and edges that facts state or imply.
function network(facts, search) {
  const counts = new Map();
  const edges = new Map();
  const join = (from, to, text) => { const key = JSON.stringify([from, to].sort()); if (text || !edges.has(key)) edges.set(key, { from, to, text }); };
  for (const fact of facts) {
    const named = new Set([...fact.entities, ...fact.relations.flatMap((each) => [each.subject, each.object])]);
    for (const name of named) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const { subject, predicate, object } of fact.relations) join(subject, object, predicate);
    for (const name of fact.entities.slice(1)) join(fact.entities[0], name, "");
  }
  const matches = (name) => name.toLowerCase().includes(search.toLowerCase());
  const near = new Set([...edges.values()].filter((edge) => matches(edge.from) || matches(edge.to)).flatMap((edge) => [edge.from, edge.to]));
  const wanted = [...counts].filter(([name]) => !search || matches(name) || near.has(name)).sort((a, b) => b[1] - a[1]).slice(0, MOST);
  const names = new Set(wanted.map(([name]) => name));
  return { nodes: wanted.map(([name, count]) => ({ name, count })), edges: [...edges.values()].filter((edge) => names.has(edge.from) && names.has(edge.to)) };
}

function Explorer({ facts, chosen, search, setSearch }) {
  const { nodes, edges } = useMemo(() => network(facts, search), [facts.length, search]);
  if (!nodes.length && !search) return html`<${Panel}><${Empty} title="No entities yet"><span>Name them when you store a fact:</span><code>erstwhile remember "Ana works at Lumen" --entity Ana --entity Lumen</code><//><//>`;
  return html`<div class="wide-left">
    <${Panel}><div class="stack tight">
      <div class="filters"><${Search} label="Find an entity" value=${search} onSearch=${setSearch} /><span class="quiet">${plural(nodes.length, "entity", "entities")}, ${plural(edges.length, "link")}</span></div>
      ${nodes.length ? html`<${Drawing} nodes=${nodes} edges=${edges} chosen=${chosen} />` : html`<${Empty} title="No entity has this name">Try a part of it.<//>`}
    </div><//>
    ${chosen ? html`<${Entity} name=${chosen} key=${chosen} />` : html`<${Panel} title="Nothing is chosen"><p class="quiet">Click a node, or move with Tab and open with Enter.</p><//>`}
  </div>`;
}

function Drawing({ nodes, edges, chosen }) {
  const [element, width] = useWidth();
  const places = useMemo(() => (width ? settle(nodes, edges, width, HEIGHT) : new Map()), [nodes, edges, width]);
  const touching = (edge) => edge.from === chosen || edge.to === chosen;
  const near = new Set([chosen, ...edges.filter(touching).flatMap((edge) => [edge.from, edge.to])]);
  const go = (name) => { location.hash = `#/graph/${id(name)}`; };
  const away = (name) => (chosen && places.has(chosen) && !near.has(name) ? "away" : "");
  return html`<div ref=${element} style=${{ minHeight: `${HEIGHT}px` }}>${places.size > 0 && html`<svg class="drawing" viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT} role="group" aria-label="Graph of entities">
    ${edges.map((edge) => html`<${Edge} key=${edge.from + edge.to} edge=${edge} from=${places.get(edge.from)} to=${places.get(edge.to)} labelled=${edges.length < 25 || touching(edge)} style=${chosen && places.has(chosen) && !touching(edge) ? "away" : ""} />`)}
    ${nodes.map((node) => html`<${Node} key=${node.name} node=${node} at=${places.get(node.name)} chosen=${node.name === chosen} labelled=${nodes.length < 60 || node.count > 2 || near.has(node.name)} go=${go} style=${away(node.name)} />`)}
  </svg>`}</div>`;
}

const Edge = ({ edge, from, to, labelled, style }) => html`<g class=${style}>
  <line class="edge" x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} />
  ${edge.text && labelled && html`<text class="halo" x=${(from.x + to.x) / 2} y=${(from.y + to.y) / 2 + 3} text-anchor="middle">${cut(edge.text, 24)}</text>`}</g>`;

function Node({ node, at: { x, y }, chosen, labelled, go, style }) {
  const radius = 5 + Math.min(9, Math.sqrt(node.count) * 2.2);
  return html`<g class="node-link ${style}" tabindex="0" role="link" aria-label="${node.name}, ${plural(node.count, "fact")}" onClick=${() => go(node.name)} onKeyDown=${(event) => event.key === "Enter" && go(node.name)}>
    <circle class="node ${chosen ? "chosen" : ""}" cx=${x} cy=${y} r=${radius}><title>${node.name}</title></circle>
    ${labelled && html`<text class="halo strong" x=${x} y=${y + radius + 13} text-anchor="middle">${cut(node.name, 24)}</text>`}</g>`;
}

function Entity({ name }) {
  const query = useQuery(() => get("/facts", { entity: name, state: "any", limit: 50, ...moment() }), [name, moment()]);
  return html`<${Panel} title=${name} actions=${html`<a class="small" href="#/facts?${new URLSearchParams({ entity: name })}">In the table</a>`}><${Loaded} query=${query}>${(page) => html`<ul class="list small">${items(page).map((fact) => html`<li key=${fact.id}>
    <span class="row spread nowrap"><a class="plain-link" href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a><${State} of=${fact} /></span></li>`)}</ul>`}<//><//>`;
}
