// Lessons, outcomes and observations: what was learned from work.
import { get, items, useQuery } from "../api.js";
import { Empty, Loaded, Page, Panel, Scope, Time, html, plural } from "../ui.js";

const SIGNS = { 1: ["good", "live"], 0: ["neutral", "superseded"], [-1]: ["bad", "wrong"] };

export default function Lessons() {
  const query = useQuery(async () => {
    const [lessons, outcomes, observations] = await Promise.all(["/lessons", "/outcomes", "/observations"].map((path) => get(path, { limit: 100 })));
    return { lessons: items(lessons), outcomes: items(outcomes), observations: items(observations) };
  });
  return html`<${Page} title="Lessons" lead="Rules that proved useful, the outcomes behind them, and observations.">
    <${Loaded} query=${query}>${({ lessons, outcomes, observations }) => html`<div class="columns">
      <${Panel} title=${plural(lessons.length, "lesson")}>${lessons.length ? html`<ul class="list small">${lessons.map((each) => html`<li><span>${each.rule}</span><span class="row quiet"><span class="badge">${each.domain}</span><${Scope} of=${each.scope} />seen ${plural(each.occurrences, "time")}</span></li>`)}</ul>` : html`<${Empty} title="No lessons yet" />`}<//>
      <${Panel} title=${plural(outcomes.length, "outcome")}>${outcomes.length ? html`<ul class="list small">${outcomes.map((each) => html`<li><span>${each.note ?? each.domain}</span><span class="row quiet"><span class="badge state ${SIGNS[each.score]?.[1] ?? ""}">${SIGNS[each.score]?.[0] ?? each.score}</span><span class="badge">${each.domain}</span><${Time} at=${each.created_at} /></span></li>`)}</ul>` : html`<${Empty} title="No outcomes yet" />`}<//>
      <${Panel} title=${plural(observations.length, "observation")}>${observations.length ? html`<ul class="list small">${observations.map((each) => html`<li><b>${each.title}</b><span>${each.learned ?? each.what ?? ""}</span><span class="row quiet"><span class="badge">${each.type}</span><${Time} at=${each.created_at} /></span></li>`)}</ul>` : html`<${Empty} title="No observations yet" />`}<//>
    </div>`}<//>
  <//>`;
}
