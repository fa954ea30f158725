// Lessons, outcomes, observations and limitations: what was learned from work.
import { call, get, id, items, post, useQuery } from "../api.js";
import { plural } from "../format.js";
import { Empty, Loaded, Page, Panel, Scope, Time, change, html, useAsk } from "../ui.js";

const SIGNS = { 1: ["good", "live"], 0: ["neutral", "superseded"], [-1]: ["bad", "wrong"] };
const GROUPS = [
  ["lessons", "lesson", (each) => each.rule, (each) => html`<span class="badge">${each.domain}</span>seen ${plural(each.occurrences, "time")}`, 'erstwhile lessons add deployments "Test the migration first"'],
  ["outcomes", "outcome", (each) => each.note ?? each.domain, (each) => html`<span class="badge state ${SIGNS[each.score]?.[1] ?? ""}">${SIGNS[each.score]?.[0] ?? each.score}</span><span class="badge">${each.domain}</span><${Time} at=${each.created_at} />`, "erstwhile outcomes add deployments 1"],
  ["observations", "observation", (each) => html`<b>${each.title}</b> ${each.learned ?? each.what ?? ""}`, (each) => html`<span class="badge">${each.type}</span><${Time} at=${each.created_at} />`, 'erstwhile observations add discovery "The cache was cold"'],
  ["limitations", "limitation", (each) => html`<b>${each.title}</b> ${each.description ?? ""}`, (each) => html`<${Time} at=${each.created_at} />`, 'erstwhile limitations add "No access to billing"'],
];

export default function Lessons() {
  const { ask, dialog } = useAsk();
  const query = useQuery(() => Promise.all(GROUPS.map(async ([name]) => items(await get(`/${name}`, { limit: 100 })))));
  const remove = (name, each) => ask({
    title: "Delete this record", text: "Agents no longer see it.", action: "Delete", danger: true,
    confirm: () => change("Deleted", () => call("DELETE", `/${name}/${id(each.id)}`, { scope: each.scope }), () => post(`/${name}/${id(each.id)}/restore`, {}, { scope: each.scope })),
  });
  return html`<${Page} title="Lessons" lead="Rules that proved useful, the outcomes behind them, observations, and what an agent cannot do.">
    ${dialog}<${Loaded} query=${query}>${(all) => html`<div class="columns">${GROUPS.map(([name, noun, text, about, example], index) => html`
      <${Panel} key=${name} title=${plural(all[index].length, noun)}>${all[index].length
        ? html`<ul class="list small">${all[index].map((each) => html`<li key=${each.id}><span>${text(each)}</span><span class="row spread nowrap quiet"><span class="row">${about(each)}<${Scope} of=${each.scope} /></span><button class="button link" onClick=${() => remove(name, each)}>Delete</button></span></li>`)}</ul>`
        : html`<${Empty} title="None yet"><code>${example}</code><//>`}<//>`)}</div>`}<//>
  <//>`;
}
