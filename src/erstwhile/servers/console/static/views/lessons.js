// Lessons, outcomes, observations and limitations: what was learned from work.
import { get, items, useQuery } from "../api.js";
import { plural } from "../format.js";
import { isKnown, state } from "../state.js";
import { useDeleting, useShown } from "../records.js";
import { Empty, Loaded, Page, Panel, Scope, Time, html } from "../ui.js";

const SIGNS = { 1: ["good", "live"], 0: ["neutral", "superseded"], [-1]: ["bad", "wrong"] };
const MOST = 100;
const GROUPS = [
  ["lessons", "lesson", (each) => each.rule, (each) => html`<span class="badge">${each.domain}
    </span>seen ${plural(each.occurrences, "time")}`, 'erstwhile lessons add deployments "Test the migration first"'],
  ["outcomes", "outcome", (each) => each.note ?? each.domain, (each) => html`<span class="badge state ${SIGNS[each.score]?.[1] ?? ""}">
    ${SIGNS[each.score]?.[0] ?? each.score}</span><span class="badge">${each.domain}</span><${Time} at=${each.created_at} />`, "erstwhile outcomes add deployments 1"],
  ["observations", "observation", (each) => html`<b>${each.title}</b> ${each.learned ?? each.what ?? ""}`, (each) => html`<span class="badge">
    ${each.type}</span><${Time} at=${each.created_at} />`, 'erstwhile observations add discovery "The cache was cold"'],
  ["limitations", "limitation", (each) => html`<b>${each.title}
    </b> ${each.description ?? ""}`, (each) => html`<${Time} at=${each.created_at} />`, 'erstwhile limitations add "No access to billing"'],
];

export default function Lessons() {
  const { query, choose } = useShown();
  return html`<${Page} title="Lessons" lead="Rules that proved useful, the outcomes behind them, observations, and what an agent cannot do." actions=${choose}>
    <div class="columns">${GROUPS.map((group) => html`<${Group} key=${group[0]} group=${group} query=${query} />`)}</div>
  <//>`;
}

function Group({ group: [name, noun, text, about, example], query }) {
  const { button, dialog } = useDeleting(`/${name}`, noun, "Agents no longer see it.");
  const listed = useQuery(async () => items(await get(`/${name}`, { ...query, limit: MOST })).filter((each) => isKnown(each)), [state.moment, query]);
  return html`<${Panel} title=${noun[0].toUpperCase() + noun.slice(1) + "s"}>${dialog}<${Loaded} query=${listed}>${(all) => (all.length
    ? html`<ul class="list small">${all.map((each) => html`<li key=${each.id}><span>${text(each)}</span>
      <span class="row spread nowrap quiet"><span class="row">${about(each)}<${Scope} of=${each.scope} /></span>${button(each)}</span></li>`)}</ul>
      ${all.length === MOST && html`<p class="quiet">These are the newest ${MOST}.</p>`}`
    : html`<${Empty} title="None${query.deleted ? " is deleted" : " yet"}">${!query.deleted && html`<code>${example}</code>`}<//>`)}<//><//>`;
}
