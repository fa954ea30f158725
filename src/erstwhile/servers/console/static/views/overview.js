// What is stored, how it grows, whether all is well, and what changed last.
import { get, items, moment, useQuery } from "../api.js";
import { useShared } from "../state.js";
import { Definition, FactText, Loaded, Page, Panel, Scope, State, Bar, ago, html, minute, number, plural } from "../ui.js";
import { Growth } from "../charts.js";

export default function Overview() {
  const stats = useQuery(() => get("/stats"));
  const facts = useQuery(() => get("/facts", { limit: 1000, state: "any", ...moment() }));
  return html`<${Page} title="Overview" lead="What your agents remember, and what needs a person.">
    <${Loaded} query=${stats}>${(data) => html`<div class="figures">
      ${[["live", "live facts", "#/facts"], ["quarantined", "in quarantine", "#/review"], ["upcoming", "begin later", "#/facts?state=upcoming"], ["retired", "ended", "#/facts?state=retired"], ["deleted", "deleted", "#/facts?deleted=true"]].map(([name, text, to]) => html`
        <a class="figure" href=${to}><b class=${data[name] ? name : "quiet"}>${number(data[name])}</b><span>${text}</span></a>`)}
    </div>`}<//>
    <div class="wide-left">
      <div class="stack">
        <${Panel} title="Facts recorded over time"><${Loaded} query=${facts}>${(page) => html`<${Growth} times=${items(page).map((fact) => fact.recorded_at)} label="facts" />`}<//><//>
        <${Ledger} />
      </div>
      <div class="stack">
        <${Panel} title="By kind"><${Loaded} query=${stats}>${(data) => html`<${Kinds} kinds=${data.kinds} />`}<//><//>
        <${Health} stats=${stats} />
        <${Changes} />
      </div>
    </div>
  <//>`;
}

function Kinds({ kinds }) {
  const sorted = Object.entries(kinds ?? {}).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...sorted.map(([, count]) => count));
  if (!sorted.length) return html`<p class="quiet">Nothing is stored yet.</p>`;
  return html`<div class="bars">${sorted.map(([kind, count]) => html`<a href="#/facts?kind=${kind}">${kind}</a><${Bar} value=${count / most} /><span class="number">${number(count)}</span>`)}</div>`;
}

function Health({ stats }) {
  const learning = useQuery(() => get("/learning/status"));
  const held = useQuery(() => get("/quarantine", { limit: 100 }));
  return html`<${Panel} title="Health"><${Loaded} query=${learning}>${(status) => html`<${Definition} entries=${[
    ["store", stats.data && `${stats.data.engine}${stats.data.bytes ? `, ${number(Math.round(stats.data.bytes / 1024))} KB` : ""}`],
    ["quarantine", held.data && html`<a href="#/review">${plural(items(held.data).length, "fact")}</a>`],
    ["learns with", status.model ?? "patterns, without a language model"],
    ["turns waiting", number(status.waiting)],
    ["failing", status.failing ?? "nothing"],
    ["spent today", status.spent.cost ? `$${status.spent.cost}` : `${number(status.spent.input + status.spent.output)} tokens`],
    ["daily limit", status.limit],
  ]} />`}<//><//>`;
}

// What was stored lately, and from whose words.
function Ledger() {
  const query = useQuery(async () => items(await get("/facts", { limit: 8, state: "any" })));
  return html`<${Panel} title="Stored lately" actions=${html`<a class="small" href="#/facts?state=any">All facts</a>`}><${Loaded} query=${query}>${(facts) => html`
    <ul class="list">${facts.map((fact) => html`<li>
      <a class="facts-line" href="#/facts/${fact.id}"><span><${FactText} fact=${fact} /></span></a>
      <span class="row quiet"><${State} of=${fact} /><${Scope} of=${fact.scope} /><span>${WORDS[fact.origin] ?? fact.origin}, ${ago(fact.recorded_at)}</span></span>
    </li>`)}</ul>`}<//><//>`;
}

const WORDS = { person: "stated by a person", learned: "learned from a conversation", agent: "written by an agent", tool: "from a tool", web: "from a web page", document: "from a document" };

function Changes() {
  const shared = useShared();
  const query = useQuery(async () => items(await get("/audit", { limit: 8 })));
  return html`<${Panel} title="Latest changes" actions=${html`<span class="row quiet"><i class="dot live"></i>live</span>`}><${Loaded} query=${query}>${(entries) => html`
    <ul class="list small">${entries.map((entry) => html`<li><span>${entry.action.replaceAll(".", " ")} <span class="quiet">by ${entry.actor}</span></span><time class="quiet" title=${minute(entry.at)}>${ago(entry.at)}</time></li>`)}</ul>
    ${shared.latest.length > 0 && html`<p class="quiet">${plural(shared.latest.length, "change")} since you opened the console</p>`}`}<//><//>`;
}
