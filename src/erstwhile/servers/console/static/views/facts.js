// The table of facts, with filters that are in the address, and the page of one fact.
import { get, id, items, moment, post, useQuery } from "../api.js";
import { KINDS, filled, linkTo, plural } from "../format.js";
import { Paging, usePages } from "../records.js";
import { Choice, Day, Empty, FactText, Loaded, Page, Panel, Scope, Search, State, Table, Time, change, html } from "../ui.js";
import Fact from "./fact.js";

const STATES = ["any", "retired", "upcoming", "quarantined", "deleted"];
const SIZE = 50;

export default function Facts({ rest, query }) {
  return rest ? html`<${Fact} id=${rest} key=${rest} />` : html`<${List} query=${query} />`;
}

function List({ query }) {
  const filters = { ...query, metadata: metadataOf(query.metadata), ...moment() };
  const pages = usePages(JSON.stringify(filters));
  const listed = useQuery(() => get("/facts", { ...filters, limit: SIZE, cursor: pages.cursor }), [filters, pages.cursor]);
  const count = useQuery(() => get("/facts/count", filters), [filters]);
  const isFiltered = Object.keys(filled({ ...query, metadata: filters.metadata })).length > 0;
  return html`<${Page} title="Facts" lead=${count.error ? "" : count.data === null ? "Counting…" : `${plural(count.data, "fact")}${isFiltered ? " with these filters" : ""}`}>
    <${Filters} query=${query} />
    <${Panel} flush><${Loaded} query=${listed}>
      ${(page) => (items(page).length ? html`<${FactTable} facts=${items(page)} deleted=${items(page)[0].deleted_at} />` : html`<${Nothing} filtered=${isFiltered} />`)}<//><//>
    <${Paging} pages=${pages} next=${listed.data?.next} />
  <//>`;
}

function Filters({ query }) {
  const set = (changes) => { location.hash = linkTo("facts", { ...query, ...changes }); };
  const choose = (values, all) => [{ value: "", text: all }, ...values];
  const setState = (state) => set(state === "deleted" ? { deleted: "true", state: "" } : { deleted: "", state });
  const more = ["key", "tag", "metadata", "since", "until", "conversation"].some((name) => query[name]);
  const dated = (name, label) => html`<${Day} label=${label} at=${query[name]} onChange=${(event) => set({ [name]: event.target.value && `${event.target.value}T00:00:00Z` })} />`;
  return html`<div role="search" class="stack tight">
    <div class="filters">
      <${Search} label="Text contains" placeholder="Search the text…  /" value=${query.contains} onSearch=${(contains) => set({ contains })} />
      <${Choice} label="State" value=${query.deleted ? "deleted" : (query.state ?? "")} onChoose=${setState} options=${choose(STATES, "live")} />
      <${Choice} label="Kind" value=${query.kind ?? ""} onChoose=${(kind) => set({ kind })} options=${choose(KINDS, "all kinds")} />
      <${Search} label="Entity" value=${query.entity} onSearch=${(entity) => set({ entity })} />
      ${Object.keys(query).length > 0 && html`<a class="button link" href="#/facts">Clear</a>`}
    </div>
    <details open=${more}><summary class="quiet">More filters</summary><div class="filters">
      <${Search} label="Key" value=${query.key} onSearch=${(key) => set({ key })} />
      <${Search} label="Tag" value=${query.tag} onSearch=${(tag) => set({ tag })} />
      <${Search} label="Conversation" placeholder="Conversation (id)" value=${query.conversation} onSearch=${(conversation) => set({ conversation })} />
      <${Search} label="Metadata" placeholder="Metadata: a=b" value=${query.metadata} onSearch=${(metadata) => set({ metadata })} />
      ${dated("since", "recorded from")}${dated("until", "before")}
    </div></details>
  </div>`;
}

// "team=shop" as the JSON that the API takes.
function metadataOf(text = "") {
  const [name, ...value] = text.split("=");
  return value.length ? JSON.stringify({ [name.trim()]: scalar(value.join("=").trim()) }) : "";
}

const scalar = (text) => (/^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text);

const Nothing = ({ filtered }) => html`<${Empty} title=${filtered ? "No fact matches" : "No facts yet"}>${filtered
  ? html`<a class="button" href="#/facts">Clear the filters</a>`
  : html`<span>Tell your agent something, or type:</span><code>erstwhile remember "Ana prefers pnpm over npm"</code>`}<//>`;

const open = (fact) => { location.hash = `#/facts/${fact.id}`; };
const restore = (fact) => change("Restored", () => post(`/facts/${id(fact.id)}/restore`, {}, { scope: fact.scope }));

// A deleted fact has no page: it can only be restored.
const FactTable = ({ facts, deleted }) => html`<${Table} label="Facts" rows=${facts} open=${deleted ? null : open} columns=${[
  { title: "Fact", class: "main-cell", cell: (fact) => html`${deleted ? html`<${FactText} fact=${fact} />` : html`<a href="#/facts/${fact.id}">
    <${FactText} fact=${fact} /></a>`}${fact.pinned ? html` <span class="badge">pinned</span>` : ""}` },
  ...(facts.every((fact) => fact.state === "live") ? [] : [{ title: "State", cell: (fact) => html`<${State} of=${fact} />` }]),
  { title: "Kind", cell: (fact) => html`<span class="quiet">${fact.kind}</span>` },
  { title: "Memory of", cell: (fact) => html`<${Scope} of=${fact.scope} />` },
  { title: "True from", class: "labelled", cell: (fact) => html`<${Time} at=${fact.valid_from} />` },
  { title: "Recorded", class: "labelled", cell: (fact) => html`<${Time} at=${fact.recorded_at} />` },
  ...(deleted ? [{ title: "", cell: (fact) => html`<button class="button" onClick=${() => restore(fact)}>Restore</button>` }] : []),
]} />`;
