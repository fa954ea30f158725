// What is stored, how it grows, whether all is well, what was captured, and what changed last.
import { useState } from "../vendor/hooks.mjs";
import { every, get, id, items, moment, useQuery } from "../api.js";
import { Columns, Curve } from "../charts.js";
import { DAY, KINDS, ago, bytes, linkTo, minute, money, number, originText, plural, recordLink, scopeText, short } from "../format.js";
import { isPast, knownCursor, state, useShared } from "../state.js";
import { Action, Bars, Definition, Dot, Empty, FactLink, FactText, html, Loaded, More, Page, Panel, Problem, Spending, State, Switch } from "../ui.js";

export default function Overview() {
  const stats = useQuery(async () => {
    const now = await get("/stats");
    return { ...now, held: now.quarantined, ...(isPast() && (await then())) };
  }, [moment()]);
  const empty = stats.data && ["live", "quarantined", "upcoming", "retired"].every((name) => !stats.data[name]);
  return html`<${Page} title="Overview" lead="What your agents remember, and what needs a person.">
    <${Figures} stats=${stats} />
    <div class="wide-left">
      <div class="stack">
        ${empty ? html`<${Start} />` : html`<${Ledger} /><div class="columns narrow">
          <${Panel} title="Facts recorded"><${Loaded} query=${stats}>${(data) => html`<${Curve} points=${growing(data)} label=${(most) => plural(most, "fact")} />`}<//><//>
          <${Uses} stats=${stats} /></div><div class="columns narrow"><${Shares} stats=${stats} /></div>`}
      </div>
      <div class="stack"><${Health} stats=${stats} /><${Changes} /></div>
    </div>
  <//>`;
}

const FIGURES = [
  ["live", "live facts", "#/facts"], ["quarantined", "in quarantine", "#/review"], ["upcoming", "begin later", "#/facts?state=upcoming"],
  ["retired", "ended", "#/facts?state=retired"], ["deleted", "deleted", "#/facts?deleted=true"],
];

// The numbers of facts by state, and of live ones by kind, at the moment of the console.
async function then() {
  const count = (filters) => get("/facts/count", { ...filters, ...moment() });
  const states = ["live", "quarantined", "upcoming", "retired"];
  const [by, kinds] = await Promise.all([Promise.all(states.map((state) => count({ state }))), Promise.all(KINDS.map((kind) => count({ kind })))]);
  const named = (names, counts) => names.map((name, index) => [name, counts[index]]);
  return { ...Object.fromEntries(named(states, by)), kinds: Object.fromEntries(named(KINDS, kinds).filter(([, some]) => some)) };
}

const Figures = ({ stats: { data, error } }) => html`${error && html`<${Problem} error=${error} />`}<div class="figures">${FIGURES.slice(0, isPast() ? -1 : undefined).map(([name, text, to]) => html`
  <a class="figure" href=${to}><b class=${data?.[name] ? name : "quiet"} title=${data && number(data[name])}>${data ? short(data[name]) : "…"}</b><span>${text}</span></a>`)}</div>`;

const Start = () => html`<${Panel}><${Empty} title="This memory is empty">
  <span>Tell your agent something, or type:</span><code>erstwhile remember "Ana prefers pnpm over npm"</code>
  <span>It appears here by itself.</span><//><//>`;

const LATEST = 6;
const KEPT = 90;
const STEPS = 24;

// [[time, facts recorded until then]], from their numbers by day. A past moment is within a day.
function growing({ recorded, ...stats }) {
  const total = ["live", "quarantined", "upcoming", "retired"].reduce((sum, name) => sum + stats[name], 0);
  const now = +new Date(state.moment.known_at ?? Date.now());
  const days = Object.entries(recorded).map(([day, count]) => [+new Date(day), count]);
  const first = Math.min(days[0]?.[0] ?? now, now - DAY);
  const until = (at) => Math.min(total, days.reduce((sum, [day, count]) => sum + (day < at ? count : 0), 0));
  return Array.from({ length: STEPS + 1 }, (_, index) => first + ((now - first) * index) / STEPS).map((at) => [at, until(at)]);
}

// The facts that prompts used, by the day of the last use.
const Uses = ({ stats }) => html`<${Panel} title=${isPast() ? "Last used in a prompt, until now" : "Last used in a prompt"}>
  <${Loaded} query=${stats}>${({ used }) => Object.keys(used).length
  ? html`<${Columns} points=${Object.entries(used).map(([at, count]) => [+new Date(at), count])} since=${Math.floor(Date.now() / DAY - KEPT) * DAY} width=${DAY} label=${(most) => plural(most, "fact")} />`
  : html`<p class="quiet">No prompt has used a fact yet: <code>memory.context("a question")</code> builds one.</p>`}<//><//>`;

const AGES = [["under a day", 1], ["1 to 7 days", 7], ["7 to 30 days", 30], ["30 to 91 days", 91]];

// What is stored, by kind, by scope and by age.
function Shares({ stats }) {
  const shares = useQuery(async () => {
    const now = +new Date(state.moment.known_at ?? Date.now());
    const since = (days) => get("/facts/count", { since: new Date(now - days * DAY).toISOString(), ...moment() });
    const [scopes, ...counts] = await Promise.all([get("/scopes").catch(() => []), ...AGES.map(([, days]) => since(days))]);
    return { scopes: items(scopes), counts };
  }, [moment()]);
  const some = ({ live }, bars) => (live ? bars() : html`<p class="quiet">None yet.</p>`);
  return html`
    <${Panel} title="Live facts by kind"><${Loaded} query=${stats}>${(data) => some(data, () => html`
      <${Bars} rows=${sorted(Object.entries(data.kinds)).map(([kind, count]) => [kind, count, number(count), `#/facts?kind=${kind}`])} />`)}<//><//>
    ${!isPast() && html`<${Panel} title="By scope"><${Loaded} query=${shares}>${({ scopes }) => html`${scopes.length < 2 && html`<p class="quiet">There is only one.</p>`}
      <${Bars} rows=${sorted(scopes.map((each) => [scopeText(each.scope), each.facts])).slice(0, 6).map(([name, count]) => [name, count, number(count)])} />
      <${More} count=${scopes.length - 6} noun="other scope" />`}<//><//>`}
    <${Panel} title="By age"><${Loaded} query=${stats}>${(data) => some(data, () => html`<${Loaded} query=${shares}>${({ counts }) => html`
      <${Bars} rows=${ages(counts, data.live).map(([name, count]) => [name, Math.max(0, count), number(Math.max(0, count))])} />`}<//>`)}<//><//>`;
}

const ages = (counts, live) => [...AGES.map(([name], index) => [name, counts[index] - (counts[index - 1] ?? 0)]), ["older", live - counts.at(-1)]];
const sorted = (entries) => entries.sort((a, b) => b[1] - a[1]);

function Health({ stats }) {
  const learning = useQuery(() => get("/learning/status"));
  const given = useQuery(async () => (await every("/learning/attempts", { outcome: "given_up" })).length);
  const failing = learning.data && [learning.data.failing, ...learning.data.background.map((each) => `${each.stage}: ${each.error}`), given.data && `${plural(given.data, "turn")} given up`].filter(Boolean).join("; ");
  const isWell = !failing && !learning.data?.reached;
  return html`<${Panel} title=${isPast() ? "Health, now" : "Health"} actions=${learning.data && html`<span class="badge state ${isWell ? "live" : "wrong"}">${isWell ? "all is well" : "look below"}</span>`}>
    <${Loaded} query=${learning}>${(status) => html`<${Definition} entries=${[
    ["store", stats.data && `${stats.data.engine}${stats.data.bytes ? `, ${bytes(stats.data.bytes)}` : ""}`],
    ["search index", stats.data && (stats.data.outbox ? `${plural(stats.data.outbox, "text")} without a vector` : "complete")],
    ["quarantine", html`<a href="#/review">${plural(stats.data?.held ?? 0, "fact")}</a>`],
    ["learns with", status.model ?? "patterns, no model"],
    ["turns waiting", number(status.waiting + status.put_off)],
    ["failures", failing || "none"],
    ["spent today", html`<${Spending} of=${status} />`],
  ]} />`}<//><//>`;
}

function Changes() {
  const { offline, seen } = useShared();
  const query = useQuery(async () => withFacts(grouped(items(await get("/audit", { limit: 30, until: state.moment.known_at }))).slice(0, LATEST)), [state.moment]);
  const live = html`<span class="row quiet"><${Dot} of=${offline ? "wrong" : "live"} />${offline ? "offline" : "live"}</span>`;
  return html`<${Panel} title="Latest changes" actions=${live}><${Loaded} query=${query}>${(entries) => html`
    ${entries.length === 0 && html`<p class="quiet">Each change appears here, by whom, as it happens.</p>`}<ul class="list small">
      ${entries.map((entry) => html`<li key=${entry.number + JSON.stringify(entry.scope)}><span class="row spread nowrap"><span>
      <${Action} of=${entry} />${entry.count > 1 && ` × ${number(entry.count)}`}${entry.fact && html`: <${FactText} fact=${entry.fact} />`}</span>
      <time class="quiet nowrap" title=${minute(entry.at)}>${ago(entry.at)}</time></span>
      <span class="quiet">by <bdi>${entry.actor}</bdi> · <bdi>${scopeText(entry.scope)}</bdi></span></li>`)}</ul>
    ${seen > 0 && html`<p class="quiet">${plural(seen, "change")} since you opened the console</p>`}`}<//><//>`;
}

// Entries about messages and other parts of one act are one line with their number.
function grouped(entries) {
  const found = [];
  for (const entry of entries) {
    const last = found.at(-1);
    const same = last && entry.action.includes(".") && ["action", "actor"].every((name) => last[name] === entry[name]) && scopeText(last.scope) === scopeText(entry.scope);
    if (same) last.count += 1;
    else found.push({ ...entry, count: 1 });
  }
  return found;
}

// The entries, each with the fact that it is about, if it is about one that is still there.
function withFacts(entries) {
  const gone = new Set(entries.filter((entry) => !recordLink(entry)).map((entry) => entry.subject));
  const fact = ({ action, subject, scope }) => (action.includes(".") || gone.has(subject) ? null : get(`/facts/${id(subject)}`, {}, { scope }).catch(() => null));
  return Promise.all(entries.map(async (entry) => ({ ...entry, fact: await fact(entry) })));
}

// The capture ledger: what was stored, from whose words, by which client, at what cost.
const MOST = 2000;
const SHOWN = 5;
const PERIODS = [[1, "Today"], [7, "7 days"], [30, "30 days"]];

function Ledger() {
  const [days, setDays] = useState(null);
  const query = useQuery(() => captured(days), [days, state.moment]);
  const shown = days ?? query.data?.days ?? 1;
  return html`<${Panel} title="Capture ledger" lead="What was stored, from whose words, by which client, at what cost."
      actions=${html`<${Switch} label="Period" value=${shown} onChoose=${setDays} options=${PERIODS} />`}>
    <${Loaded} query=${query}>${(captured) => html`<${Entries} ...${captured} />`}<//>
  <//>`;
}

// Until a person chooses, the shortest period with a fact in it.
async function captured(days) {
  for (const tried of days ? [days] : PERIODS.map(([each]) => each)) {
    const found = await within(tried);
    if (days || found.facts.length || tried === PERIODS.at(-1)[0]) return found;
  }
}

async function within(days) {
  const until = state.moment.known_at;
  const since = new Date(Math.floor(+new Date(until ?? Date.now()) / DAY) * DAY - (days - 1) * DAY).toISOString();
  const filters = { state: "any", since, ...moment() };
  const [facts, attempts, spent] = await Promise.all([
    get("/facts", { ...filters, limit: SHOWN }), every("/learning/attempts", { cursor: knownCursor() }, {}, (each) => each.created_at >= since, MOST), get("/usage/summary", { since, until }),
  ]);
  const count = facts.next ? await get("/facts/count", filters) : items(facts).length;
  const [writers, channels] = await Promise.all([
    Promise.all(items(facts).map(writer)), Promise.all([...new Set(items(facts).map((fact) => fact.source?.conversation).filter(Boolean))].map(channel)),
  ]);
  return { days, since, facts: items(facts), count, writers: new Map(writers), attempts, spent: items(spent)[0], channels: new Map(channels) };
}

// Who stored a fact: the actor of its first entry.
const writer = async ({ id: subject, scope }) => [subject, (await every("/audit", { subject }, { scope }).catch(() => [])).at(-1)?.actor];

const channel = async (conversation) => [conversation, (await get(`/conversations/${id(conversation)}`).catch(() => null))?.channel];

function Entries({ since, facts, count, writers, attempts, spent, channels }) {
  if (!facts.length && !attempts.length) return html`<${Empty} title="Nothing was stored in this time">Facts appear here as soon as an agent or a person stores one.<//>`;
  const learned = new Map(attempts.flatMap((attempt) => attempt.changes.map((change) => [change.fact, { ...change, attempt }])));
  const read = attempts.length && `${attempts.length < MOST ? "" : "at least "}${plural(attempts.length, "turn")}, ${attempts.filter((each) => each.outcome === "learned").length} taught something`;
  const tokens = (spent?.input ?? 0) + (spent?.output ?? 0);
  const cost = Number(spent?.cost) > 0 ? `${money(spent.cost)} spent` : tokens ? `${plural(tokens, "token")} spent` : "nothing spent";
  return html`<p class="small"><b>${plural(count, "fact")}</b> stored${read ? ` · ${read}` : ""} · ${cost}</p>
    <ul class="list ledger">${facts.map((fact) => html`<li key=${fact.id}>
      <${Entry} fact=${fact} by=${writers.get(fact.id)} channel=${channels.get(fact.source?.conversation)} from=${learned.get(fact.id)} /></li>`)}</ul>
    ${count > SHOWN && html`<a class="small" href=${linkTo("facts", { state: "any", since })}>All of them</a>`}`;
}

const Entry = ({ fact, by, channel: over, from }) => html`
  <span class="row spread nowrap"><${FactLink} fact=${fact} />${fact.state !== "live" && html`<${State} of=${fact} />`}</span>
  ${from?.quote && html`<span class="quote">“${from.quote}”</span>`}
  <span class="quiet">${originText(fact.origin)}${by && html` · by <bdi>${by}</bdi>`}${over && over !== "default" && html` · over <bdi>${over}</bdi>`} · <bdi>${scopeText(fact.scope)}</bdi> · <time title=${minute(fact.recorded_at)}>
    ${ago(fact.recorded_at)}</time>${from?.attempt.cost ? ` · ${money(from.attempt.cost)}` : ""}</span>`;
