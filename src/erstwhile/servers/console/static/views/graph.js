// Entities and their relations, at the moment of the console.
import { useMemo, useState } from "../vendor/hooks.mjs";
import { get, id, items, moment, useQuery } from "../api.js";
import { cut, linkTo, number, plural } from "../format.js";
import { isPast } from "../state.js";
import { Bars, Empty, FactLink, html, Loaded, Page, Panel, Search, State, Switch, useWidth } from "../ui.js";

const FACTS = 500;
const MOST = 300;
const ALONE = 40;
const MAIN = 12;
const MANY = 80;
const LISTED = 12;
const LABEL = 20;
const LETTER = 7.6;
const LINE = 15;

export default function Graph({ rest }) {
  const [search, setSearch] = useState("");
  const [ended, setEnded] = useState(false);
  const filters = { ...(ended && { state: "any" }), ...moment() };
  const name = rest || search;
  // A chosen or searched entity brings its own facts, of which the newest ones may have none.
  const facts = useQuery(async () => {
    const [newest, own] = await Promise.all([get("/facts", { limit: FACTS, ...filters }), name && get("/facts", { entity: name, limit: FACTS, ...filters }).catch(() => [])]);
    return { all: [...new Map([...items(newest), ...items(own)].map((fact) => [fact.id, fact])).values()], more: newest.next };
  }, [filters, name]);
  return html`<${Page} title="Graph" lead="People and things, and how facts relate them. Open one to read about it and to see its neighbours. Dashed: it ended.">
    <${Loaded} query=${facts}>${({ all, more }) => html`<${Explorer} facts=${all} more=${more} chosen=${rest} search=${search} setSearch=${setSearch}
      period=${html`<${Switch} label="Period" value=${ended} onChoose=${setEnded} options=${[[false, isPast() ? "Then" : "Now"], [true, "All time"]]} />`} />`}<//>
  <//>`;
}

// The nodes and edges that facts state or imply.
function network(facts, search) {
  const counts = new Map();
  const edges = new Map();
  const join = (from, to, text, ended) => {
    const key = JSON.stringify([from, to].sort());
    const old = edges.get(key) ?? { text: "", ended: true };
    edges.set(key, { from, to, text: ended ? old.text || text : text || old.text, ended: ended && old.ended });
  };
  for (const fact of facts) {
    const named = new Set([...fact.entities, ...fact.relations.flatMap((each) => [each.subject, each.object])]);
    for (const name of named) counts.set(name, (counts.get(name) ?? 0) + 1);
    const ended = fact.state === "retired";
    for (const { subject, predicate, object } of fact.relations) join(subject, object, predicate, ended);
    for (const name of fact.entities.slice(1)) join(fact.entities[0], name, "", ended);
  }
  const matches = (name) => name.toLowerCase().includes(search.toLowerCase());
  const near = new Set([...edges.values()].filter((edge) => matches(edge.from) || matches(edge.to)).flatMap((edge) => [edge.from, edge.to]));
  const wanted = [...counts].filter(([name]) => !search || matches(name) || near.has(name)).sort((a, b) => b[1] - a[1]).slice(0, MOST);
  const names = new Set(wanted.map(([name]) => name));
  return { nodes: wanted.map(([name, count]) => ({ name, count })), edges: [...edges.values()].filter((edge) => names.has(edge.from) && names.has(edge.to)) };
}

function Explorer({ facts, more, chosen, search, setSearch, period }) {
  const { nodes, edges } = useMemo(() => network(facts, search), [facts.map((fact) => fact.id + fact.state).join(), search]);
  const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const [all, alone] = [nodes.filter(({ name }) => linked.has(name)), nodes.filter(({ name }) => !linked.has(name))];
  const isFocused = all.length > MANY && linked.has(chosen);
  const drawn = isFocused ? around(all, edges, chosen) : all;
  const names = new Set(drawn.map(({ name }) => name));
  if (!nodes.length && !search) return html`<${Panel}><${Empty} title="No entities yet"><span>Name them when you store a fact:</span>
    <code>erstwhile remember "Ana works at Lumen" --entity Ana --entity Lumen</code><//><//>`;
  return html`<div class="wide-left">
    <${Panel}><div class="stack tight">
      <div class="filters"><${Search} label="Find an entity" value=${search} onSearch=${setSearch} />${period}<span class="quiet">
        ${plural(nodes.length, "entity", "entities")}, ${plural(edges.length, "link")}${more && ` in the newest ${number(FACTS)} facts`}</span></div>
      ${drawn.length > 0 && html`<${Drawing} nodes=${drawn} edges=${edges.filter((edge) => names.has(edge.from) && names.has(edge.to))} chosen=${chosen} />`}
      ${isFocused && html`<p class="quiet">These are the neighbours of ${chosen}. <a href="#/graph">All entities</a></p>`}
      ${alone.length > 0 && !isFocused && html`<div class="row"><span class="quiet">Without a link:</span>${alone.slice(0, ALONE).map(({ name }) => html`<a key=${name} class="badge" href="#/graph/${id(name)}">${name}</a>`)}
        ${alone.length > ALONE && html`<span class="quiet">and ${number(alone.length - ALONE)} more</span>`}</div>`}
      ${!nodes.length && html`<${Empty} title="No entity has this name">Try a part of it.<//>`}
    </div><//>
    ${chosen ? html`<${Entity} name=${chosen} key=${chosen} />` : html`<${Panel} title="In most facts" lead="Click a name or a node, or move with Tab and open with Enter.">
      <${Bars} rows=${nodes.slice(0, LISTED).map(({ name, count }) => [cut(name, LABEL), count, number(count), `#/graph/${id(name)}`])} /><//>`}
  </div>`;
}

// A node of a large graph is drawn with its neighbours alone, and with theirs if these are few.
function around(nodes, edges, chosen) {
  const widen = (names) => new Set([...names, ...edges.filter((edge) => names.has(edge.from) || names.has(edge.to)).flatMap((edge) => [edge.from, edge.to])]);
  const near = widen(new Set([chosen]));
  const wide = widen(near);
  const names = wide.size > MANY ? near : wide;
  return nodes.filter(({ name }) => names.has(name));
}

function Drawing({ nodes, edges, chosen }) {
  const [element, width] = useWidth();
  const height = Math.min(780, 340 + nodes.length * 8);
  const places = useMemo(() => (width ? settle(nodes, edges, width, height) : new Map()), [nodes, edges, width]);
  const touching = (edge) => edge.from === chosen || edge.to === chosen;
  const near = new Set([chosen, ...edges.filter(touching).flatMap((edge) => [edge.from, edge.to])]);
  const go = (name) => { location.hash = `#/graph/${id(name)}`; };
  const named = edges.filter((edge) => edge.text && (edges.length < 25 || touching(edge)));
  const labels = places.size ? readable(nodes, named, places, width, chosen) : new Map();
  const away = (name) => (chosen && places.has(chosen) && !near.has(name) ? "away" : "");
  return html`<div ref=${element} style=${{ minHeight: `${height}px` }}>
    ${places.size > 0 && html`<svg class="drawing" viewBox="0 0 ${width} ${height}" height=${height} role="group" aria-label="Graph of entities">
    ${edges.map((edge) => html`<${Edge} key=${edge.from + edge.to} edge=${edge} from=${places.get(edge.from)} to=${places.get(edge.to)} label=${labels.get(edge)} style=${chosen && places.has(chosen) && !touching(edge) ? "away" : ""} />`)}
    ${nodes.map((node) => html`<${Node} key=${node.name} node=${node} at=${places.get(node.name)} chosen=${node.name === chosen} small=${nodes.length > MANY} go=${go} style=${away(node.name)} />`)}
    ${nodes.filter(({ name }) => labels.has(name)).map(({ name }) => html`<text key=${name} class="halo strong ${away(name)}" x=${labels.get(name).x} y=${labels.get(name).y} text-anchor="middle" pointer-events="none">
      ${labels.get(name).text}</text>`)}
  </svg>`}</div>`;
}

const Edge = ({ edge, from, to, label, style }) => html`<g class=${style}>
  <line class="edge ${edge.ended ? "past" : ""}" x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y}><title>${edge.from} ${edge.text} ${edge.to}${edge.ended ? " (ended)" : ""}</title></line>
  ${label && html`<text class="halo" x=${label.x} y=${label.y} text-anchor="middle">${label.text}</text>`}</g>`;

const radiusOf = (node, small) => (small ? 3 : 5) + Math.min(9, Math.sqrt(node.count) * (small ? 1.2 : 2.2));

// The labels that fit, by the keys of their nodes and edges: that of the chosen node, then by the
// number of facts. A node has its label below it, or above.
function readable(nodes, edges, places, width, chosen) {
  const found = new Map();
  const circles = nodes.map((node) => ({ ...places.get(node.name), radius: radiusOf(node, nodes.length > MANY) }));
  const covers = (box, { x, y, radius }) => Math.abs(x - box.x) < box.half + radius && Math.abs(y - box.y + 4) < radius + 5;
  const isFree = (box) => ![...found.values()].some((other) => Math.abs(other.x - box.x) < other.half + box.half && Math.abs(other.y - box.y) < LINE);
  const put = (key, boxes, isMain) => { const box = boxes.find((each) => isFree(each) && (isMain || !circles.some((circle) => covers(each, circle)))); if (box) found.set(key, box); };
  const order = [...nodes].sort((a, b) => (b.name === chosen) - (a.name === chosen) || b.count - a.count);
  for (const [index, node] of order.entries()) {
    const { x, y } = places.get(node.name);
    const text = cut(node.name, LABEL);
    const half = (text.length * LETTER) / 2;
    const box = { x: Math.min(width - half, Math.max(half, x)), half, text };
    const radius = radiusOf(node, nodes.length > MANY);
    put(node.name, [{ ...box, y: y + radius + 13 }, { ...box, y: y - radius - 5 }], index < MAIN);
  }
  for (const edge of edges) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    const text = cut(edge.text, LABEL);
    put(edge, [{ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + 3, half: (text.length * LETTER) / 2, text }], false);
  }
  return found;
}

function Node({ node, at: { x, y }, chosen, small, go, style }) {
  return html`<g class="node-link ${style}" tabindex="0" role="link" aria-label="${node.name}, ${plural(node.count, "fact")}" onClick=${() => go(node.name)} onKeyDown=${(event) => event.key === "Enter" && go(node.name)}>
    <circle class="node ${chosen ? "chosen" : ""}" cx=${x} cy=${y} r=${radiusOf(node, small)}><title>${node.name}</title></circle></g>`;
}

function Entity({ name }) {
  const query = useQuery(() => get("/facts", { entity: name, state: "any", limit: 50, ...moment() }), [name, moment()]);
  return html`<${Panel} title=${name} actions=${html`<a class="small" href=${linkTo("facts", { entity: name })}>In the table</a>`}>
    <${Loaded} query=${query}>${(page) => html`<ul class="list small tall">${items(page).map((fact) => html`<li key=${fact.id}>
    <span class="row spread nowrap"><${FactLink} fact=${fact} />
      <${State} of=${fact} /></span></li>`)}</ul>`}<//><//>`;
}

// Place the nodes of a graph as Fruchterman and Reingold do: all repel each other, edges pull, and
// less heat moves them less. Nodes with many edges are pulled less by each, so that a dense group does
// not become a heap.
function settle(nodes, edges, width, height) {
  const all = nodes.map(({ name }, index) => ({ name, x: width / 2 + Math.cos(index * 2.4) * (40 + index * 6), y: height / 2 + Math.sin(index * 2.4) * (30 + index * 5) }));
  const places = new Map(all.map((place) => [place.name, place]));
  const degrees = new Map();
  for (const name of edges.flatMap((edge) => [edge.from, edge.to])) degrees.set(name, (degrees.get(name) ?? 0) + 1);
  const ideal = Math.min(170, Math.sqrt((width * height) / Math.max(nodes.length, 1)) * 0.8);
  for (let heat = width / 6; heat > 0.5; heat *= nodes.length > 120 ? 0.93 : 0.97) {
    for (const place of all) { place.dx = (width / 2 - place.x) * 0.9; place.dy = (height / 2 - place.y) * 0.9; }
    all.forEach((a, index) => { for (let other = index + 1; other < all.length; other += 1) push(a, all[other], (length) => (ideal * ideal) / length); });
    for (const { from, to } of edges) push(places.get(from), places.get(to), (length) => -(length * length) / ideal / Math.min(degrees.get(from), degrees.get(to)));
    for (const place of all) {
      const length = Math.hypot(place.dx, place.dy) || 1;
      place.x += (place.dx / length) * Math.min(length, heat);
      place.y += (place.dy / length) * Math.min(length, heat);
    }
  }
  fit(all, "x", 70, width - 70);
  fit(all, "y", 24, height - 34);
  return places;
}

function push(a, b, force) {
  const [dx, dy] = [a.x - b.x || 0.01, a.y - b.y || 0.01];
  const length = Math.hypot(dx, dy);
  const scale = force(length) / length;
  a.dx += dx * scale;
  a.dy += dy * scale;
  b.dx -= dx * scale;
  b.dy -= dy * scale;
}

function fit(places, axis, low, high) {
  const values = places.map((place) => place[axis]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  for (const place of places) place[axis] = most > least ? low + ((place[axis] - least) / (most - least)) * (high - low) : (low + high) / 2;
}
