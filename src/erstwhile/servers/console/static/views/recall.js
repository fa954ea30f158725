// The recall lab: a question, its hits with their reasons, and what was cut; saved cases.
import { useState } from "../vendor/hooks.mjs";
import { items, moment, post } from "../api.js";
import { toast } from "../state.js";
import { Bar, Empty, FactText, Loading, Page, Panel, Problem, State, html, number } from "../ui.js";

const SETTINGS = { limit: 10, among: "facts", graph: false, include_retired: false };

export default function Recall({ query }) {
  const [question, setQuestion] = useState(query.q ?? "");
  const [columns, setColumns] = useState([{ settings: SETTINGS }]);
  const [busy, setBusy] = useState(false);
  const ask = async (event) => {
    event?.preventDefault();
    setBusy(true);
    setColumns(await Promise.all(columns.map(async ({ settings }) => ({ settings, ...(await answer(question, settings)) }))));
    setBusy(false);
  };
  const set = (index, changes) => setColumns(columns.map((each, place) => (place === index ? { ...each, settings: { ...each.settings, ...changes } } : each)));
  return html`<${Page} title="Recall lab" lead="Ask a question and see what is found, why, and what is not." actions=${html`<button class="button" onClick=${() => setColumns(columns.length > 1 ? columns.slice(0, 1) : [...columns, { settings: { ...SETTINGS, among: "all" } }])}>${columns.length > 1 ? "One setting" : "Compare two settings"}</button>`}>
    <form class="row" onSubmit=${ask}><input class="input search" type="search" name="question" style=${{ flex: 1 }} aria-label="Question" placeholder="Which database does the shop run on?" value=${question} onInput=${(event) => setQuestion(event.target.value)} required /><button class="button primary" disabled=${busy}>Ask</button></form>
    <div class="columns">${columns.map((column, index) => html`<div class="stack"><${Settings} settings=${column.settings} set=${(changes) => set(index, changes)} />
      ${busy ? html`<${Loading} />` : column.error ? html`<${Problem} error=${column.error} />` : column.hits ? html`<${Hits} question=${question} ...${column} />` : html`<${Panel}><${Empty} title="Ask something">Hits appear here, each with its reasons.<//><//>`}</div>`)}</div>
    <${Cases} question=${question} column=${columns[0]} />
  <//>`;
}

async function answer(question, settings) {
  const { among, ...rest } = settings;
  try {
    const found = await post("/recall", { query: question, explain: true, among: among === "all" ? "all" : [among], ...rest, ...moment() });
    return { hits: items(found), trace: found.trace, considered: found.considered ?? [], error: null };
  } catch (error) {
    return { error };
  }
}

function Settings({ settings, set }) {
  return html`<div class="filters small">
    <label class="row">among <select class="input" value=${settings.among} onChange=${(event) => set({ among: event.target.value })}>${["facts", "messages", "observations", "lessons", "summaries", "all"].map((each) => html`<option selected=${each === settings.among}>${each}</option>`)}</select></label>
    <label class="row">limit <input class="input" type="number" min="1" max="50" value=${settings.limit} onChange=${(event) => set({ limit: Number(event.target.value) })} /></label>
    <label class="row"><input type="checkbox" checked=${settings.graph} onChange=${(event) => set({ graph: event.target.checked })} /> graph</label>
    <label class="row"><input type="checkbox" checked=${settings.include_retired} onChange=${(event) => set({ include_retired: event.target.checked })} /> ended facts too</label>
  </div>`;
}

const relevance = (hit) => hit.relevance ?? hit.why?.relevance ?? 0;

function Hits({ question, hits, trace, considered }) {
  const missed = considered.filter((each) => each.status !== "returned");
  const most = Math.max(1, ...hits.map((hit) => hit.why.text ?? 0));
  return html`
    <p class="quiet">searched for ${trace.terms.length ? trace.terms.map((term) => html`<code>${term}</code> `) : "no words"}${trace.period ? `within ${trace.period}` : ""} · ${number(trace.candidates)} candidates${trace.notices?.length ? ` · ${trace.notices.join("; ")}` : ""}</p>
    ${hits.length === 0 && html`<${Panel}><${Empty} title="Nothing relevant">The memory does not know. That is an answer, too.<//><//>`}
    ${hits.map((hit, index) => html`<${Panel} key=${hit.record.id}><div class="stack">
      <div class="row spread"><span><span class="quiet">${index + 1}.</span> <${Marked} hit=${hit} /></span>${hit.record.state && html`<${State} of=${hit.record} />`}</div>
      <div class="bars">
        <span>relevance</span><${Bar} value=${relevance(hit)} /><b class="number">${relevance(hit).toFixed(2)}</b>
        <span>words</span><${Bar} value=${(hit.why.text ?? 0) / most} /><span class="number">${(hit.why.text ?? 0).toFixed(2)}</span>
        <span>meaning</span><${Bar} value=${hit.why.cosine ?? 0} /><span class="number">${(hit.why.cosine ?? 0).toFixed(2)}</span>
      </div>
      <p class="quiet">${Object.keys(hit.why.terms ?? {}).length ? `words: ${Object.keys(hit.why.terms).join(", ")} · ` : ""}${Object.entries(hit.why.factors ?? {}).filter(([, value]) => value).map(([name, value]) => `${name} ${value > 0 ? "+" : ""}${(value * 100).toFixed(1)} %`).join(" · ")}</p>
      ${hit.kind === "facts" && html`<a class="small" href="#/facts/${hit.record.id}">Open the fact</a>`}
    </div><//>`)}
    ${missed.length > 0 && html`<${Panel} title="Not returned"><ul class="list small">${missed.slice(0, 20).map((each) => html`<li><span>${each.record.text ?? each.record.content ?? each.record.title}</span><span class="quiet">${each.status.replaceAll("_", " ")}${each.relevance !== undefined ? `, relevance ${each.relevance.toFixed(2)}` : ""}</span></li>`)}</ul><//>`}
    <${WhyNot} question=${question} />`;
}

// The text of a hit, with its best passage marked.
function Marked({ hit }) {
  const text = hit.record.text ?? hit.record.content ?? hit.record.title ?? hit.record.rule ?? "";
  const { start, end } = hit.passage ?? { start: 0, end: 0 };
  if (!end || end - start >= text.length) return hit.record.key ? html`<${FactText} fact=${hit.record} />` : text;
  return html`${text.slice(0, start)}<mark>${text.slice(start, end)}</mark>${text.slice(end)}`;
}

function WhyNot({ question }) {
  const [result, setResult] = useState(null);
  const ask = async (event) => {
    event.preventDefault();
    const given = new FormData(event.target).get("id").trim().split("/").at(-1);
    setResult(await post("/recall/why_not", { query: question, id: given }).catch((error) => ({ reason: error.message })));
  };
  return html`<${Panel} title="Why not this one?"><form class="row" onSubmit=${ask}><input class="input" style=${{ flex: 1 }} name="id" aria-label="Id of a fact" placeholder="id of a fact" required /><button class="button">Explain</button></form>
    ${result && html`<p class="small">${result.reason ?? result.status ?? JSON.stringify(result)}</p>`}<//>`;
}

const stored = () => JSON.parse(localStorage.getItem("cases") ?? "[]");

// Questions with the fact that is expected first. They stay in this browser.
function Cases({ question, column }) {
  const [cases, setCases] = useState(stored);
  const keep = (next) => { localStorage.setItem("cases", JSON.stringify(next)); setCases(next); };
  const best = column.hits?.[0]?.record;
  const run = async () => keep(await Promise.all(cases.map(async (each) => {
    const { hits } = await answer(each.question, column.settings);
    return { ...each, rank: (hits ?? []).findIndex((hit) => hit.record.id === each.expected) + 1 };
  })));
  const save = () => { keep([...cases, { question, expected: best.id, text: best.text ?? best.content, rank: 1 }]); toast("Saved as a case"); };
  return html`<${Panel} title="Cases" actions=${html`<span class="row"><button class="button" disabled=${!best} onClick=${save}>Save this question with its first hit</button><button class="button" disabled=${!cases.length} onClick=${run}>Run all</button></span>`}>
    ${cases.length ? html`<ul class="list small">${cases.map((each, index) => html`<li><span class="row spread"><span>${each.question} <span class="quiet">→ ${each.text}</span></span><span class="row"><span class=${each.rank ? "live" : "wrong"}>${each.rank ? `rank ${each.rank}` : "not found"}</span><button class="button link" onClick=${() => keep(cases.filter((_, place) => place !== index))}>Remove</button></span></span></li>`)}</ul>` : html`<p class="quiet">Save questions with the answers you expect, and run them again after a change.</p>`}
  <//>`;
}
