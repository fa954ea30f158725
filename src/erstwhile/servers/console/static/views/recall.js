// The recall lab: a question, its hits with their reasons, what was cut and why; two settings side
// by side; questions with their expected answers.
import { useState } from "../vendor/hooks.mjs";
import { get, id, items, moment, post } from "../api.js";
import { number, percent, recordText, words } from "../format.js";
import { Bar, Choice, Empty, FactText, Loading, Page, Panel, Problem, State, html } from "../ui.js";
import { Cases } from "../cases.js";

const SETTINGS = { limit: 10, among: "facts", floor: "", graph: false, include_retired: false };
const AMONG = ["facts", "messages", "observations", "lessons", "summaries", "all"];

export default function Recall({ query }) {
  const [question, setQuestion] = useState(query.q ?? "");
  const [columns, setColumns] = useState([{ settings: SETTINGS }]);
  const [busy, setBusy] = useState(false);
  const ask = async (event) => {
    event?.preventDefault();
    setBusy(true);
    setColumns(await Promise.all(columns.map(async ({ settings }) => ({ settings, question, ...(await answer(question, settings)) }))));
    setBusy(false);
  };
  const set = (index, changes) => setColumns(columns.map((each, place) => (place === index ? { ...each, settings: { ...each.settings, ...changes } } : each)));
  const compare = () => setColumns(columns.length > 1 ? columns.slice(0, 1) : [...columns, { settings: { ...SETTINGS, among: "all" } }]);
  return html`<${Page} title="Recall lab" lead="Ask a question and see what is found, why, and what is not."
      actions=${html`<button class="button" onClick=${compare}>${columns.length > 1 ? "One setting" : "Compare two settings"}</button>`}>
    <form class="filters" onSubmit=${ask}>
      <input class="input search" type="search" name="question" aria-label="Question" placeholder="Which database does the shop run on?" value=${question} onInput=${(event) => setQuestion(event.target.value)} required />
      <button class="button primary" disabled=${busy}>Ask</button>
    </form>
    <div class="columns">${columns.map((column, index) => html`<div class="stack tight" key=${index}>
      <${Settings} settings=${column.settings} set=${(changes) => set(index, changes)} />
      <${Answer} ...${column} busy=${busy} other=${columns.length > 1 && columns[1 - index].hits} />
    </div>`)}</div>
    <${Cases} question=${question} best=${columns[0].hits?.[0]} rank=${(each) => rank(each, columns[0].settings)} />
  <//>`;
}

async function answer(question, { among, floor, ...rest }) {
  const options = { explain: true, among: among === "all" ? "all" : [among], ...(floor !== "" && { floor: Number(floor) }), ...rest };
  try {
    const found = await post("/recall", { query: question, ...options, ...moment() });
    return { hits: items(found), trace: found.trace, considered: found.considered ?? [], error: null };
  } catch (error) {
    return { error };
  }
}

// At which place the expected record of a case is, or 0.
async function rank({ question, expected }, settings) {
  const { hits } = await answer(question, settings);
  return (hits ?? []).findIndex((hit) => hit.record.id === expected) + 1;
}

const Settings = ({ settings, set }) => html`<div class="filters small quiet">
  <label class="row">among <${Choice} label="Among" value=${settings.among} options=${AMONG} onChoose=${(among) => set({ among })} /></label>
  <label class="row">at most <input class="input short" type="number" min="1" max="50" value=${settings.limit} onChange=${(event) => set({ limit: Number(event.target.value) })} /></label>
  <label class="row">floor <input class="input short" type="number" min="0" max="1" step="0.05" placeholder="auto" value=${settings.floor} onChange=${(event) => set({ floor: event.target.value })} /></label>
  <label class="row"><input type="checkbox" checked=${settings.graph} onChange=${(event) => set({ graph: event.target.checked })} /> graph</label>
  <label class="row"><input type="checkbox" checked=${settings.include_retired} onChange=${(event) => set({ include_retired: event.target.checked })} /> ended facts</label>
</div>`;

function Answer({ busy, error, hits, other, trace, considered, question }) {
  if (busy) return html`<${Loading} />`;
  if (error) return html`<${Problem} error=${error} />`;
  if (!hits) return html`<${Panel}><${Empty} title="Ask something">
    <span>Each hit shows how well its words and its meaning match, and what shifted its place.</span>
    <span>Below the hits: what was compared and not returned, and why.</span><//><//>`;
  const cut = considered.filter((each) => each.status !== "returned");
  return html`
    <p class="quiet">searched for ${trace.terms.length ? trace.terms.map((term) => html`<code>${term}</code> `) : "no words "}${trace.period ? `within ${trace.period} ` : ""}· ${number(trace.candidates)} compared, ${number(hits.length)} returned</p>
    ${trace.notices.map((notice) => html`<p class="notice soft">${notice}</p>`)}
    ${hits.length === 0 && html`<${Panel}><${Empty} title="Nothing relevant">The memory does not know. That is an answer, too.<//><//>`}
    ${hits.length > 0 && html`<ol class="panel hits">${hits.map((hit, index) => html`<${Hit} key=${hit.record.id} hit=${hit} index=${index} moved=${other && movement(hit, index, other)} />`)}</ol>`}
    ${cut.length > 0 && html`<${Cut} cut=${cut} />`}
    <${WhyNot} question=${question} />`;
}

// How the place of a hit differs from the other setting.
function movement(hit, index, other) {
  const there = other.findIndex((each) => each.record.id === hit.record.id);
  if (there < 0) return html`<span class="badge state upcoming">only here</span>`;
  return there === index ? null : html`<span class="badge">${there > index ? "↑" : "↓"} ${Math.abs(there - index)}</span>`;
}

function Hit({ hit, index, moved }) {
  const { why, record } = hit;
  const factors = Object.entries(why.factors).filter(([, value]) => Math.abs(value) >= 0.0005);
  return html`<li>
    <div class="row spread nowrap"><span><span class="quiet">${index + 1}</span> ${hit.kind === "facts" ? html`<a class="plain-link" href="#/facts/${record.id}"><${Marked} hit=${hit} /></a>` : html`<${Marked} hit=${hit} />`}</span>
      <span class="row nowrap">${moved}${hit.is_weak && html`<span class="badge">weak</span>`}${record.state ? record.state !== "live" && html`<${State} of=${record} />` : html`<span class="badge">${hit.kind}</span>`}<b class="number">${percent(hit.relevance)}</b></span></div>
    <div class="channels">
      <span>relevance</span><${Bar} value=${hit.relevance} /><span>words</span><${Bar} of="words" value=${why.words} title=${Object.keys(why.terms).join(", ")} />
      <span>meaning</span><${Bar} of="meaning" value=${why.cosine ?? 0} title=${why.cosine === null ? "no vector" : why.cosine.toFixed(2)} />
      ${why.reranked !== null && html`<span>reranked</span><${Bar} value=${why.reranked} />`}
    </div>
    <div class="row quiet tags">${Object.keys(why.terms).map((term) => html`<code>${term}</code>`)}${factors.map(([name, value]) => html`<span class=${value < 0 ? "wrong" : ""}>${name} ${value > 0 ? "+" : "−"}${Math.abs(value * 100).toFixed(1)} %</span>`)}</div>
  </li>`;
}

// The text of a hit, with its best passage marked.
function Marked({ hit }) {
  const text = recordText(hit.record);
  const { start, end } = hit.passage ?? { start: 0, end: 0 };
  if (!end || end - start >= text.length) return hit.record.key ? html`<${FactText} fact=${hit.record} />` : text;
  return html`${text.slice(0, start)}<mark>${text.slice(start, end)}</mark>${text.slice(end)}`;
}

const REASONS = { below_floor: "below the floor", outranked: "beyond the limit" };

function Cut({ cut }) {
  const [all, setAll] = useState(false);
  return html`<${Panel} title=${`Compared, not returned: ${number(cut.length)}`}><ul class="list small">${cut.slice(0, all ? 200 : 6).map((each) => html`<li key=${each.record.id}>
    <span class="row spread nowrap"><span>${recordText(each.record)}</span><span class="quiet nowrap">${REASONS[each.status] ?? words(each.status)}, ${percent(each.relevance)}</span></span></li>`)}</ul>
    ${cut.length > 6 && !all && html`<button class="button link" onClick=${() => setAll(true)}>Show all</button>`}<//>`;
}

// A person names a fact by some of its words, or by its id.
function WhyNot({ question }) {
  const [result, setResult] = useState(null);
  const ask = async (event) => {
    event.preventDefault();
    setResult(await explain(question, new FormData(event.target).get("fact").trim()));
  };
  return html`<${Panel} title="Why not this one?"><form class="filters" onSubmit=${ask}><input class="input search" name="fact" aria-label="A fact" placeholder="words of a fact, or its id" required /><button class="button">Explain</button></form>
    ${result && html`<div class="notice" role="status">${result.fact && html`<b>${recordText(result.fact)}</b>: `}${words(result.reason)}${result.rank ? `, place ${result.rank}` : ""}${result.detail ? `. ${result.detail}` : ""}</div>`}<//>`;
}

async function explain(question, given) {
  try {
    const isId = /^[0-9a-f]{8}-[0-9a-f-]+$/.test(given);
    const fact = isId ? null : items(await get("/facts", { contains: given, state: "any", limit: 1 }))[0];
    if (!isId && !fact) return { reason: "no fact has these words" };
    return { fact, ...(await post("/recall/why_not", { query: question, id: fact?.id ?? given, ...moment() })) };
  } catch (error) {
    return { reason: error.message };
  }
}
