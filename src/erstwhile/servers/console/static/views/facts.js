// The table of facts, and the page of one fact.
import { useState } from "../vendor/hooks.mjs";
import { get, items, moment, useQuery } from "../api.js";
import { Choice, Empty, FactText, Loaded, Page, Panel, Scope, Search, State, Table, Time, html, plural } from "../ui.js";
import Fact from "./fact.js";

const KINDS = ["profile", "preference", "project", "environment", "fact", "state", "decision", "relation", "event", "instruction"];
const SIZE = 50;

export default function Facts({ rest, query }) {
  return rest ? html`<${Fact} id=${rest} key=${rest} />` : html`<${List} query=${query} key=${JSON.stringify(query)} />`;
}

// The filters are in the address, so that a view can be bookmarked.
function List({ query }) {
  const [pages, setPages] = useState([""]);
  const filters = { state: "live", ...query };
  const cursor = pages.at(-1);
  const listed = useQuery(() => get("/facts", { ...filters, ...moment(), limit: SIZE, cursor }), [cursor, query]);
  const count = useQuery(() => get("/facts/count", { ...filters, ...moment() }), [query]);
  const set = (changes) => {
    const kept = Object.entries({ ...query, ...changes }).filter(([, value]) => value);
    location.hash = `#/facts?${new URLSearchParams(kept)}`;
  };
  const chosen = (name, values, all) => [{ value: "", text: all }, ...values.map((value) => ({ value, text: value }))];
  return html`<${Page} title="Facts" lead=${count.data === null ? "…" : plural(count.data, "fact")}>
    <div class="filters" role="search">
      <${Search} label="Text contains" placeholder="Search the text…  /" value=${query.contains} onSearch=${(contains) => set({ contains })} />
      <${Choice} label="State" value=${query.state ?? ""} onChoose=${(state) => set({ state })} options=${chosen("state", ["any", "retired", "upcoming", "quarantined"], "live")} />
      <${Choice} label="Kind" value=${query.kind ?? ""} onChoose=${(kind) => set({ kind })} options=${chosen("kind", KINDS, "all kinds")} />
      <${Search} label="Entity" value=${query.entity} onSearch=${(entity) => set({ entity })} />
      <${Search} label="Key" value=${query.key} onSearch=${(key) => set({ key })} />
      <${Search} label="Tag" value=${query.tag} onSearch=${(tag) => set({ tag })} />
    </div>
    <${Panel} flush><${Loaded} query=${listed}>${(page) => items(page).length
      ? html`<${FactTable} facts=${items(page)} />`
      : html`<${Empty} title="No fact matches">${Object.keys(query).length ? html`<button class="button" onClick=${() => { location.hash = "#/facts"; }}>Clear the filters</button>` : html`<span>Tell your agent something, or type:</span><code>erstwhile remember "Ana prefers pnpm over npm"</code>`}<//>`}<//><//>
    <div class="row">
      <button class="button" disabled=${pages.length === 1} onClick=${() => setPages(pages.slice(0, -1))}>Newer</button>
      <button class="button" disabled=${!listed.data?.next} onClick=${() => setPages([...pages, listed.data.next])}>Older</button>
      <span class="quiet">page ${pages.length}</span>
    </div>
  <//>`;
}

export const FactTable = ({ facts, label = "Facts" }) => html`<${Table} label=${label} rows=${facts} open=${(fact) => { location.hash = `#/facts/${fact.id}`; }} columns=${[
  { title: "Fact", class: "main-cell", cell: (fact) => html`<a href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a>${fact.pinned ? html` <span class="badge">pinned</span>` : ""}` },
  { title: "State", cell: (fact) => html`<${State} of=${fact} />` },
  { title: "Kind", cell: (fact) => html`<span class="quiet">${fact.kind}</span>` },
  { title: "Memory of", cell: (fact) => html`<${Scope} of=${fact.scope} />` },
  { title: "True from", cell: (fact) => html`<${Time} at=${fact.valid_from} />` },
  { title: "Recorded", cell: (fact) => html`<${Time} at=${fact.recorded_at} />` },
]} />`;
