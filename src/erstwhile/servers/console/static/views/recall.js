// The recall lab: a question, its hits with their reasons, what was cut and why; two settings side
// by side; questions with their expected answers.
import { useState } from "../vendor/hooks.mjs";
import { get, id, items, moment, post, useQuery } from "../api.js";
import { cut, number, percent, plural, recordText, words } from "../format.js";
import { toast } from "../state.js";
import { Bar, Bars, Choice, Empty, FactText, html, Loading, LONG, More, Page, Panel, Problem, State } from "../ui.js";

const SETTINGS = { limit: 10, among: "facts", floor: "", graph: false, include_retired: false };
const AMONG = ["facts", "messages", "observations", "lessons", "summaries", "all"];

export default function Recall({ query: { q = "" } }) {
  const [question, setQuestion] = useState(q);
  const [columns, setColumns] = useState([SETTINGS]);
  const [asked, setAsked] = useState(null);
  const cases = useCases();
  const query = useQuery(async () => ({ asked, all: asked === null ? [] : await Promise.all(columns.map((settings) => answer(asked, settings))) }), [asked, columns, moment()]);
  const all = query.data?.asked === asked ? query.data.all : [];
  const ask = (event) => {
    event.preventDefault();
    setAsked(question);
    if (question === asked) query.reload();
  };
  const set = (index, changes) => setColumns(columns.map((each, place) => (place === index ? { ...each, ...changes } : each)));
  const compare = () => setColumns(columns.length > 1 ? columns.slice(0, 1) : [...columns, { ...SETTINGS, among: "all" }]);
  return html`<${Page} title="Recall lab" lead="Ask a question and see what is found, why, and what is not."
      actions=${html`<button class="button" onClick=${compare}>${columns.length > 1 ? "One setting" : "Compare two settings"}</button>`}>
    <form class="filters" onSubmit=${ask}>
      <input class="input search" type="search" name="question" aria-label="Question" placeholder="Which database does the shop run on?" value=${question} onInput=${(event) => setQuestion(event.target.value)} required />
      <button class="button primary">Ask</button>
    </form>
    <div class="columns">${columns.map((settings, index) => html`<div class="stack tight" key=${index}>
      <${Settings} settings=${settings} set=${(changes) => set(index, changes)} />
      ${asked === null ? html`<${Start} />` : all[index] ? html`<${Answer} key=${asked} question=${asked} ...${all[index]} other=${columns.length > 1 && all[1 - index]?.hits} expect=${cases.expect} />` : html`<${Loading} />`}
    </div>`)}</div>
    <${Cases} ...${cases} rank=${(each) => Promise.all(columns.map((settings) => rank(each, settings)))} />
  <//>`;
}

async function answer(question, { among, floor, limit, ...rest }) {
  const options = { explain: true, limit: Number(limit), among: among === "all" ? "all" : [among], ...(floor !== "" && { floor: Number(floor) }), ...rest };
  try {
    const found = await post("/recall", { query: question, ...options, ...moment() });
    return { hits: items(found), trace: found.trace, considered: found.considered ?? [] };
  } catch (error) {
    return { error };
  }
}

// At which place the expected record of a case is, or 0.
async function rank({ question, expected }, settings) {
  const { hits, error } = await answer(question, settings);
  if (error) throw error;
  return hits.findIndex((hit) => hit.record.id === expected) + 1;
}

const Settings = ({ settings, set }) => html`<div class="filters small quiet">
  <label class="row">among <${Choice} label="Among" value=${settings.among} options=${AMONG} onChoose=${(among) => set({ among })} /></label>
  <label class="row">at most <input class="input short" type="number" min="1" max="50" value=${settings.limit} onChange=${(event) => set({ limit: event.target.value })} /></label>
  <label class="row">least relevance <input class="input short" type="number" min="0" max="1" step="0.05" placeholder="auto" value=${settings.floor} onChange=${(event) => set({ floor: event.target.value })} /></label>
  <label class="row"><input type="checkbox" checked=${settings.graph} onChange=${(event) => set({ graph: event.target.checked })} /> by relations, too</label>
  <label class="row"><input type="checkbox" checked=${settings.include_retired} onChange=${(event) => set({ include_retired: event.target.checked })} /> ended ones, too</label>
</div>`;

const Start = () => html`<${Panel}><${Empty} title="Ask something">
  <span>Each hit shows how well its words and its meaning match, and what shifted its place.</span>
  <span>Below the hits: what was compared and not returned, and why.</span><//><//>`;

function Answer({ error, hits, other, trace, considered, question, expect }) {
  if (error) return html`<${Problem} error=${error} />`;
  const rest = considered.filter((each) => each.status !== "returned");
  const strong = hits.filter((hit) => !hit.is_weak).length;
  const list = (from, to) => html`<ol class="hits">${hits.slice(from, to).map((hit, index) => html`
    <${Hit} key=${hit.record.id} hit=${hit} place=${from + index + 1} moved=${other && movement(hit, from + index, other)} expect=${() => expect(question, hit)} />`)}</ol>`;
  return html`
    <p class="quiet">${plural(trace.candidates, "record")} compared with the ${trace.embedded && "meaning of the question and its "}stems${trace.terms.map((term) => html` <code>${term}</code>`)}${trace.period && `, within ${trace.period}`}</p>
    ${trace.notices.map((notice) => html`<p class="notice soft">${notice}</p>`)}
    <${Panel} title=${strong ? `${plural(strong, "answer")} for the agent` : "No answer"} lead=${hits.length && !strong ? "" : "The relevance tells how likely it answers the question. At 50 % it may as well be an accident."}>
      ${strong ? list(0, strong) : html`<p class="small">${hits.length ? "Only weak hits are above the floor that you set." : "Nothing is relevant enough. The memory does not know: that is an answer, too."}</p>`}<//>
    ${hits.length > strong && html`<${Panel} title=${plural(hits.length - strong, "weak hit")} lead="Under 50 %: probably an accident. The agent gets them marked as weak.">${list(strong)}<//>`}
    ${rest.length > 0 && html`<${Cut} records=${rest} expect=${(each) => expect(question, each)} />`}
    <${WhyNot} question=${question} />`;
}

// How the place of a hit differs from the other setting.
function movement(hit, index, other) {
  const there = other.findIndex((each) => each.record.id === hit.record.id);
  if (there < 0) return html`<span class="badge state upcoming">only here</span>`;
  return there === index ? null : html`<span class="badge">${there > index ? "↑" : "↓"} ${Math.abs(there - index)}</span>`;
}

function Hit({ hit, place, moved, expect }) {
  const { why, record } = hit;
  const [open, setOpen] = useState(place === 1);
  const factors = Object.entries(why.factors).filter(([, value]) => Math.abs(value) >= 0.0005);
  const shift = (value) => `${value > 0 ? "+" : "−"}${Math.abs(value * 100).toFixed(1)} %`;
  return html`<li>
    <div class="row spread nowrap"><span><span class="quiet">${place}
      </span> ${hit.kind === "facts" ? html`<a class="plain-link" href="#/facts/${record.id}"><${Marked} hit=${hit} /></a>` : html`<${Marked} hit=${hit} />`}
      ${" "}${record.state ? record.state !== "live" && html`<${State} of=${record} />` : html`<span class="badge">${hit.kind}</span>`} ${moved}</span>
      <span class="number nowrap"><b>${percent(hit.relevance)}</b> <button class="button link" aria-expanded=${open} aria-label="Why at place ${place}" onClick=${() => setOpen(!open)}>${open ? "less" : "why?"}</button></span></div>
    <div class="channels">
      <span>relevance</span><${Bar} value=${hit.relevance} /><span>words</span><${Bar} of="words" value=${why.words} title=${Object.keys(why.terms).join(", ")} />
      <span>meaning</span>${why.cosine === null ? html`<span>no vector</span>` : html`<${Bar} of="meaning" value=${why.cosine} title=${why.cosine.toFixed(2)} />`}
      ${why.reranked !== null && html`<span>reranked</span><${Bar} value=${why.reranked} />`}
    </div>
    ${open && html`<div class="reasons"><div class="stack tight"><span>Words of the question in it: ${Object.keys(why.terms).map((term) => html`<code>${term}</code> `)}
      ${!Object.keys(why.terms).length && "none"}</span><span><${Expect} onClick=${expect} /></span></div>
      <${Bars} rows=${factors.map(([name, value]) => [FACTORS[name] ?? name, Math.abs(value), shift(value)])} /></div>`}
  </li>`;
}

// What shifts the place of a hit a little.
const FACTORS = {
  kind: "its kind", age: "how new it is", confidence: "how sure it is", evidence: "how often it was stated", pinned: "that it is pinned",
  period: "the time in the question", use: "how often prompts used it", feedback: "what agents said about it",
};

const Expect = ({ onClick }) => html`<button class="button link" title="Save the question with this record as the expected answer" onClick=${onClick}>Expect this</button>`;

// The text of a hit, with its best passage marked; of a long text what is around it.
function Marked({ hit }) {
  const text = recordText(hit.record);
  const { start, end } = hit.passage ?? { start: 0, end: 0 };
  if (!end || end - start >= text.length) return html`${hit.record.key ? html`<${FactText} fact=${hit.record} />` : cut(text, LONG)}`;
  const first = Math.max(0, start - LONG);
  return html`${first ? "…" : ""}${text.slice(first, start)}<mark>${cut(text.slice(start, end), 2 * LONG)}</mark>${cut(text.slice(end), LONG)}`;
}

const MOST = 200;
const REASONS = { below_floor: "below the floor", outranked: "beyond the limit" };

function Cut({ records, expect }) {
  const [all, setAll] = useState(false);
  return html`<${Panel} title=${`${number(records.length)} not returned`} lead="Compared with the question; the agent does not get them."><ul class="list small">
    ${records.slice(0, all ? MOST : 6).map((each) => html`<li key=${each.record.id}>
    <span class="row spread nowrap"><span>${cut(recordText(each.record), LONG)}</span><span class="quiet nowrap">
      ${REASONS[each.status] ?? words(each.status)}, ${percent(each.relevance)} <${Expect} onClick=${() => expect(each)} /></span></span></li>`)}</ul>
    ${records.length > 6 && !all && html`<button class="button link" onClick=${() => setAll(true)}>Show all</button>`}
    ${all && html`<${More} count=${records.length - MOST} />`}<//>`;
}

// A person names a fact by some of its words, or by its id.
function WhyNot({ question }) {
  const [result, setResult] = useState(null);
  const ask = async (event) => {
    event.preventDefault();
    setResult(await explain(question, new FormData(event.target).get("fact").trim()));
  };
  return html`<${Panel} title="Why not this one?"><form class="filters" onSubmit=${ask}>
    <input class="input search" name="fact" aria-label="A fact" placeholder="words of a fact, or its id" required /><button class="button">Explain</button></form>
    ${result && html`<div class="notice" role="status">${result.fact && html`<b>${recordText(result.fact)}
      </b>: `}${words(result.reason)}${result.rank ? `, place ${result.rank}` : ""}${result.detail ? `. ${result.detail}` : ""}</div>`}<//>`;
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

// Questions with the record that is expected. They stay in this browser, by their ids.
const stored = () => JSON.parse(localStorage.getItem("cases") ?? "[]");

// The saved cases, and the way to add one: the question with a hit, or with a record that was cut.
function useCases() {
  const [cases, setCases] = useState(stored);
  const keep = (next) => { localStorage.setItem("cases", JSON.stringify(next)); setCases(next); };
  const expect = (question, { record, kind }) => { keep([...cases.filter((each) => each.question !== question || each.expected !== record.id), { question, expected: record.id, kind }]); toast("Saved as a case"); };
  return { cases, keep, expect };
}

// `rank` tells the place of the expected record with each setting, 0 for none.
function Cases({ cases, keep, rank }) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const ranked = [];
    try {
      for (const each of cases) ranked.push({ ...each, ranks: await rank(each) });
      keep(ranked);
    } catch (error) {
      toast(error.message);
    }
    setBusy(false);
  };
  const ran = cases.filter((each) => each.ranks);
  const found = ran[0]?.ranks.map((_, setting) => ran.filter((each) => each.ranks[setting]).length);
  const lead = "Questions with the answers that you expect: save one with “Expect this”. Run them after a change of the memory or of the settings.";
  return html`<${Panel} title="Cases" lead=${lead} actions=${html`<button class="button" disabled=${!cases.length || busy} onClick=${run}>${busy ? "Running…" : "Run all"}</button>`}>
    ${ran.length > 0 && html`<p class="small" role="status"><b>${found[0]} of ${plural(ran.length, "case")}</b> found${found.length > 1 ? `, and ${found[1]} with the second setting` : ""}</p>`}
    ${cases.length > 0 && html`<ul class="list small">${cases.map((each) => html`<li key=${each.question + each.expected}>
      <${Case} case=${each} remove=${() => { keep(cases.filter((other) => other !== each)); toast("Removed", () => keep(cases)); }} /></li>`)}</ul>`}
  <//>`;
}

function Case({ case: each, remove }) {
  const path = each.kind === "summaries" ? "conversations" : each.kind;
  const expected = useQuery(() => get(`/${path}/${id(each.expected)}`), [each.expected]);
  return html`<span class="row spread"><span>
    ${each.question} <span class="quiet">→ ${expected.data ? cut(recordText(expected.data), LONG) : expected.error?.status === 404 ? "a record that is gone" : "…"}</span></span>
    <span class="row">${each.ranks?.map((rank) => html`<span class="badge state ${rank ? "live" : "wrong"}">${rank ? `place ${rank}` : "not found"}</span>`)}
      <button class="button link" onClick=${remove}>Remove</button></span></span>`;
}
