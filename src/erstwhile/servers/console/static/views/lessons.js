// Lessons, outcomes, observations and limitations: what was learned from work.
import { get, items, useQuery } from "../api.js";
import { plural } from "../format.js";
import { isKnown } from "../state.js";
import { Paging, useDeleting, usePages, useShown } from "../records.js";
import { Empty, Loaded, Page, Panel, Scope, Time, html } from "../ui.js";

const SIGNS = { 1: ["good", "live"], 0: ["neutral", "superseded"], [-1]: ["bad", "wrong"] };
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
  const pages = usePages(JSON.stringify(query));
  const listed = useQuery(() => get(`/${name}`, { ...query, limit: 50, cursor: pages.cursor }), [query, pages.cursor]);
  const known = (page) => items(page).filter((each) => isKnown(each));
  return html`<${Panel} title=${noun[0].toUpperCase() + noun.slice(1) + "s"}>${dialog}<${Loaded} query=${listed}>${(page) => (known(page).length
    ? html`<ul class="list small">${known(page).map((each) => html`<li key=${each.id}><span>${text(each)}</span>
      <span class="row spread nowrap quiet"><span class="row">${about(each)}<${Scope} of=${each.scope} /></span>${button(each)}</span></li>`)}</ul>`
    : html`<${Empty} title="None${query.deleted ? " is deleted" : " yet"}">${!query.deleted && html`<code>${example}</code>`}<//>`)}<//><${Paging} pages=${pages} next=${listed.data?.next} names=${["Previous", "Next"]} /><//>`;
}
