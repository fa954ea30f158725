// What is stored, how it grows, whether all is well, what was captured, and what changed last.
import { get, items, moment, useQuery } from "../api.js";
import { ago, bytes, minute, money, number, plural, scopeText, words } from "../format.js";
import { isPast, state, useShared } from "../state.js";
import { Bars, Definition, Dot, Empty, Loaded, Page, Panel, html } from "../ui.js";
import { Curve } from "../charts.js";
import { Ledger } from "../ledger.js";
import { DAY } from "../plane.js";

export default function Overview() {
  const stats = useQuery(() => get("/stats"));
  const growth = useQuery(growing);
  const empty = stats.data && ["live", "quarantined", "upcoming", "retired"].every((name) => !stats.data[name]);
  return html`<${Page} title="Overview" lead="What your agents remember, and what needs a person.">
    <${Figures} stats=${stats} />
    <div class="wide-left">
      <div class="stack">
        ${empty ? html`<${Start} />` : html`<${Panel} title="Facts recorded over time"><${Loaded} query=${growth}>${(points) => html`<${Curve} points=${points} label=${(most) => plural(most, "fact")} />`}<//><//>`}
        <${Ledger} />
        <${Changes} />
      </div>
      <div class="stack">
        <${Shares} stats=${stats} growth=${growth} />
        <${Health} stats=${stats} />
      </div>
    </div>
  <//>`;
}

const FIGURES = [
  ["live", "live facts", "#/facts"], ["quarantined", "in quarantine", "#/review"], ["upcoming", "begin later", "#/facts?state=upcoming"],
  ["retired", "ended", "#/facts?state=retired"], ["deleted", "deleted", "#/facts?deleted=true"],
];

// The numbers of facts by state; in the past, of those that held then.
function Figures({ stats }) {
  useShared();
  const then = useQuery(() => (isPast() ? get("/facts/count", moment()) : null), [moment()]);
  return html`<${Loaded} query=${stats}>${(data) => html`<div class="figures">${FIGURES.map(([name, text, to]) => {
    const count = name === "live" && then.data !== null ? then.data : data[name];
    return html`<a class="figure" href=${to}><b class=${count ? name : "quiet"}>${number(count)}</b><span>${name === "live" && isPast() ? "live at that moment" : text}</span></a>`;
  })}</div>`}<//>`;
}

const Start = () => html`<${Panel}><${Empty} title="This memory is empty">
  <span>Tell your agent something, or type:</span><code>erstwhile remember "Ana prefers pnpm over npm"</code>
  <span>It appears here by itself.</span><//><//>`;

const STEPS = 24;
const SPANS = [7, 30, 91, 183, 365, 1096, 3653];

// [[time, facts recorded until then]]: counted by the server, so that it is fast at any size.
async function growing() {
  const until = (at) => get("/facts/count", { state: "any", until: new Date(at).toISOString() });
  const before = await Promise.all(SPANS.map((days) => until(Date.now() - days * DAY)));
  const span = (SPANS[before.indexOf(0)] ?? SPANS.at(-1)) * DAY;
  const times = Array.from({ length: STEPS + 1 }, (_, index) => Date.now() + 1 - span + (span * index) / STEPS);
  const counts = await Promise.all(times.map(until));
  const first = Math.max(0, counts.findIndex((count) => count > 0) - 1);
  return times.map((at, index) => [at, counts[index]]).slice(first);
}

const AGES = [["today", 1], ["this week", 7], ["this month", 30], ["this quarter", 91]];

// What is stored, by kind, by scope and by age.
function Shares({ stats }) {
  const shares = useQuery(async () => {
    const since = (days) => get("/facts/count", { since: new Date(Date.now() - days * DAY).toISOString() });
    const [scopes, ...counts] = await Promise.all([get("/scopes").catch(() => []), ...AGES.map(([, days]) => since(days))]);
    return { scopes: items(scopes), counts };
  });
  return html`<${Loaded} query=${stats}>${({ kinds, live }) => html`
    <${Panel} title="Live facts by kind">${live ? html`<${Bars} rows=${sorted(Object.entries(kinds)).map(([kind, count]) => [kind, count, number(count), `#/facts?kind=${kind}`])} />` : html`<p class="quiet">None yet.</p>`}<//>
    ${live > 0 && html`<${Loaded} query=${shares}>${({ scopes, counts }) => html`
      ${scopes.length > 1 && html`<${Panel} title="By scope"><${Bars} rows=${sorted(scopes.map((each) => [scopeText(each.scope), each.facts])).slice(0, 6).map(([name, count]) => [name, count, number(count)])} /><//>`}
      <${Panel} title="By age"><${Bars} rows=${[...AGES.map(([name], index) => [name, counts[index] - (counts[index - 1] ?? 0)]), ["older", live - counts.at(-1)]].map(([name, count]) => [name, Math.max(0, count), number(Math.max(0, count))])} /><//>`}<//>`}`}<//>`;
}

const sorted = (entries) => entries.sort((a, b) => b[1] - a[1]);

function Health({ stats }) {
  const learning = useQuery(() => get("/learning/status"));
  const held = useQuery(async () => items(await get("/quarantine", { limit: 100 })).length);
  const failed = useQuery(async () => items(await get("/learning/attempts", { outcome: "given_up", limit: 100 })).length);
  return html`<${Panel} title="Health"><${Loaded} query=${learning}>${(status) => html`<${Definition} entries=${[
    ["store", stats.data && `${stats.data.engine}${stats.data.bytes ? `, ${bytes(stats.data.bytes)}` : ""}`],
    ["quarantine", html`<a href="#/review">${plural(held.data ?? 0, "fact")}</a>`],
    ["learns with", status.model ?? "patterns, without a model"],
    ["turns waiting", number(status.waiting + status.put_off)],
    ["given up", failed.data ? plural(failed.data, "turn") : "no turn"],
    ["failing", [status.failing, ...status.background.map((each) => `${each.stage}: ${each.error}`)].filter(Boolean).join("; ") || "nothing"],
    ["spent today", spending(status)],
  ]} />`}<//><//>`;
}

function spending({ spent, limit, reached }) {
  const amount = spent.cost ? money(spent.cost) : plural(spent.input + spent.output, "token");
  return html`${amount} of ${limit.replace(/\d{4,}/, (digits) => number(digits))}${reached ? html` <span class="badge state wrong">reached</span>` : ""}`;
}

function Changes() {
  useShared();
  const query = useQuery(async () => items(await get("/audit", { limit: 8 })));
  const live = html`<span class="row quiet"><${Dot} of="live" />live</span>`;
  return html`<${Panel} title="Latest changes" actions=${live}><${Loaded} query=${query}>${(entries) => html`
    <ul class="list small">${entries.map((entry) => html`<li key=${entry.number + JSON.stringify(entry.scope)}><span class="row spread nowrap"><span>${words(entry.action)} <span class="quiet">by ${entry.actor} · ${scopeText(entry.scope)}</span></span><time class="quiet nowrap" title=${minute(entry.at)}>${ago(entry.at)}</time></span></li>`)}</ul>
    ${state.seen > 0 && html`<p class="quiet">${plural(state.seen, "change")} since you opened the console</p>`}`}<//><//>`;
}
