// Entities and their relations. A small simulation of springs places the nodes.
import { useEffect, useMemo, useState } from "../vendor/hooks.mjs";
import { get, id, items, moment, useQuery } from "../api.js";
import { Empty, FactText, Loaded, Page, Panel, Search, State, html, plural, useWidth } from "../ui.js";

const MOST = 300;
const HEIGHT = 520;

export default function Graph({ rest }) {
  const facts = useQuery(() => get("/facts", { limit: 1000, ...moment() }));
  return html`<${Page} title="Graph" lead="People and things, and how facts relate them. Click a node to read what is known about it.">
    <${Loaded} query=${facts}>${(page) => html`<${Explorer} facts=${items(page)} chosen=${rest} />`}<//>
  <//>`;
}

// The nodes and edges that live facts state or imply.
function network(facts, search) {
  const counts = new Map();
  const edges = new Map();
  for (const fact of facts) {
    for (const name of fact.entities) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const relation of fact.relations) edges.set(JSON.stringify([relation.subject, relation.object]), { from: relation.subject, to: relation.object, text: relation.predicate, past: fact.state === "retired" });
    fact.entities.slice(1).forEach((name) => { const key = JSON.stringify([fact.entities[0], name]); if (!edges.has(key) && !edges.has(JSON.stringify([name, fact.entities[0]]))) edges.set(key, { from: fact.entities[0], to: name, text: "" }); });
  }
  const wanted = [...counts].filter(([name]) => !search || name.toLowerCase().includes(search.toLowerCase()) || [...edges.values()].some((edge) => [edge.from, edge.to].includes(name) && [edge.from, edge.to].some((end) => end.toLowerCase().includes(search.toLowerCase()))));
  const names = new Set(wanted.sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([name]) => name));
  return { nodes: [...names].map((name) => ({ name, count: counts.get(name) })), edges: [...edges.values()].filter((edge) => names.has(edge.from) && names.has(edge.to)) };
}

function Explorer({ facts, chosen }) {
  const [search, setSearch] = useState("");
  const { nodes, edges } = useMemo(() => network(facts, search), [facts, search]);
  if (!nodes.length && !search) return html`<${Panel}><${Empty} title="No entities yet">Name them when you store a fact: <code>erstwhile remember "Ana works at Lumen" --entity Ana --entity Lumen</code><//><//>`;
  return html`<div class="wide-left">
    <${Panel}><div class="stack"><div class="filters"><${Search} label="Find an entity" value=${search} onSearch=${setSearch} /><span class="quiet">${plural(nodes.length, "entity").replace("entitys", "entities")}, ${plural(edges.length, "link")}</span></div><${Drawing} nodes=${nodes} edges=${edges} chosen=${chosen} /></div><//>
    ${chosen ? html`<${Entity} name=${chosen} key=${chosen} />` : html`<${Panel}><p class="quiet">Choose a node. Tab and Enter work, too.</p><//>`}
  </div>`;
}

function Drawing({ nodes, edges, chosen }) {
  const [element, width] = useWidth();
  const [places, setPlaces] = useState(new Map());
  useEffect(() => { if (width) setPlaces(settle(nodes, edges, width)); }, [nodes, edges, width]);
  const at = (name) => places.get(name) ?? { x: width / 2, y: HEIGHT / 2 };
  const near = new Set(edges.filter((edge) => [edge.from, edge.to].includes(chosen)).flatMap((edge) => [edge.from, edge.to]));
  const go = (name) => { location.hash = `#/graph/${id(name)}`; };
  return html`<div ref=${element}><svg class="drawing" viewBox="0 0 ${width || 1} ${HEIGHT}" height=${HEIGHT} role="group" aria-label="Graph of entities">
    ${edges.map((edge) => { const [a, b] = [at(edge.from), at(edge.to)]; return html`<g><line class="edge ${edge.past ? "past" : ""}" x1=${a.x} y1=${a.y} x2=${b.x} y2=${b.y} />${edge.text && (edges.length < 25 || [edge.from, edge.to].includes(chosen)) && html`<text x=${(a.x + b.x) / 2} y=${(a.y + b.y) / 2 - 3} text-anchor="middle">${edge.text}</text>`}</g>`; })}
    ${nodes.map((node) => { const { x, y } = at(node.name); const radius = 5 + Math.min(9, Math.sqrt(node.count) * 2.5); return html`<g tabindex="0" role="link" aria-label=${node.name} onClick=${() => go(node.name)} onKeyDown=${(event) => event.key === "Enter" && go(node.name)}>
      <circle class="node ${node.name === chosen ? "chosen" : ""}" cx=${x} cy=${y} r=${radius} />
      ${(nodes.length < 60 || node.count > 2 || near.has(node.name) || node.name === chosen) && html`<text class=${node.name === chosen ? "strong" : ""} x=${x} y=${y + radius + 12} text-anchor="middle">${node.name.length > 24 ? `${node.name.slice(0, 23)}…` : node.name}</text>`}</g>`; })}
  </svg></div>`;
}

// Place the nodes as Fruchterman and Reingold do: all repel each other, edges pull, and less heat
// moves them less. Nodes without an edge are drawn to the middle, so that they stay in sight.
function settle(nodes, edges, width) {
  const all = nodes.map(({ name }, index) => ({ name, x: width / 2 + Math.cos(index * 2.4) * (40 + index * 6), y: HEIGHT / 2 + Math.sin(index * 2.4) * (30 + index * 5) }));
  const places = new Map(all.map((place) => [place.name, place]));
  const ideal = Math.min(150, Math.sqrt((width * HEIGHT) / Math.max(nodes.length, 1)) * 0.75);
  const push = (a, b, force) => { const [dx, dy] = [a.x - b.x || 0.01, a.y - b.y || 0.01]; const length = Math.hypot(dx, dy); const scale = force(length) / length; a.dx += dx * scale; a.dy += dy * scale; b.dx -= dx * scale; b.dy -= dy * scale; };
  for (let heat = width / 6; heat > 0.5; heat *= nodes.length > 120 ? 0.93 : 0.97) {
    for (const place of all) { place.dx = (width / 2 - place.x) * 0.8; place.dy = (HEIGHT / 2 - place.y) * 0.8; }
    all.forEach((a, index) => { for (const b of all.slice(index + 1)) push(a, b, (length) => (ideal * ideal) / length); });
    for (const edge of edges) push(places.get(edge.from), places.get(edge.to), (length) => -(length * length) / ideal);
    for (const place of all) {
      const length = Math.hypot(place.dx, place.dy) || 1;
      place.x += (place.dx / length) * Math.min(length, heat);
      place.y += (place.dy / length) * Math.min(length, heat);
    }
  }
  fit(all, "x", 70, width - 70);
  fit(all, "y", 24, HEIGHT - 34);
  return places;
}

function fit(places, axis, low, high) {
  const values = places.map((place) => place[axis]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  for (const place of places) place[axis] = most > least ? low + ((place[axis] - least) / (most - least)) * (high - low) : (low + high) / 2;
}

function Entity({ name }) {
  const query = useQuery(() => get("/facts", { entity: name, state: "any", limit: 50, ...moment() }), [name]);
  return html`<${Panel} title=${name}><${Loaded} query=${query}>${(page) => html`<ul class="list small">${items(page).map((fact) => html`<li><a href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a><span><${State} of=${fact} /></span></li>`)}</ul>`}<//><//>`;
}
