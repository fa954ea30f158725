// Tokens and money, over time, by model and by session.
import { useState } from "../vendor/hooks.mjs";
import { get, items, useQuery } from "../api.js";
import { DAY, minute, money, number, plural, short } from "../format.js";
import { Paging, usePages } from "../records.js";
import { state } from "../state.js";
import { Bars, Definition, Empty, Loaded, Page, Panel, Spending, Switch, Table, html } from "../ui.js";
import { Columns } from "../charts.js";

const MEASURES = [["cost", "Money"], ["tokens", "Tokens"], ["calls", "Calls"]];
const VALUE = { cost: (sum) => Number(sum.cost ?? 0), tokens: (sum) => sum.input + sum.output, calls: (sum) => sum.calls };

export default function Usage() {
  const until = state.moment.known_at ?? "";
  const query = useQuery(async () => {
    const sums = (by) => get("/usage/summary", { by, until });
    const [total, days, models, sessions, status] = await Promise.all([sums(""), sums("day"), sums("model"), sums("session"), get("/learning/status")]);
    return { total: items(total)[0], days: items(days), models: items(models), sessions: items(sessions), status };
  }, [until]);
  return html`<${Page} title="Usage" lead="What language models cost, as recorded.">
    <${Loaded} query=${query}>${(sums) => sums.total?.calls ? html`<${Sums} ...${sums} />` : html`<${Panel}><${Empty} title="Nothing was spent">
      <span>Calls of language models appear here. Learning records its own; for others:</span>
      <code>erstwhile usage record gpt-5-mini --input 18400 --output 2100</code><//><//>`}<//>
  <//>`;
}

function Sums({ total, days, models, sessions, status }) {
  const [measure, setMeasure] = useState("cost");
  const value = VALUE[measure];
  const text = measure === "cost" ? money : number;
  const shares = (sums) => sums.map((sum) => [sum.of ?? "without a session", value(sum), text(value(sum))]).sort((a, b) => b[1] - a[1]).slice(0, 8);
  const points = days.map((sum) => [+new Date(sum.of), value(sum)]).sort((a, b) => a[0] - b[0]);
  return html`
    <div class="figures">${[[short(total.calls), "calls"], [short(total.input), "tokens in"], [short(total.output), "tokens out"], [money(total.cost), total.unpriced ? `without ${plural(total.unpriced, "call")} of unknown price` : "in all"]].map(([figure, name]) => html`<div class="figure">
      <b>${figure}</b><span>${name}</span></div>`)}</div>
    <div class="wide-left">
      <div class="stack">
        <${Panel} title="By day" actions=${html`<${Switch} label="Measure" value=${measure} onChoose=${setMeasure} options=${MEASURES} />`}>
          <${Columns} points=${points} since=${Math.min(points[0][0], points.at(-1)[0] - 29 * DAY)} width=${DAY} label=${text} /><//>
        <${Calls} />
      </div>
      <div class="stack">
        <${Panel} title="By model"><${Bars} rows=${shares(models)} /><//>
        ${sessions.length > 1 && html`<${Panel} title="By session"><${Bars} rows=${shares(sessions)} /><//>`}
        <${Panel} title="Learning today"><${Definition} entries=${[["spent", html`<${Spending} of=${status} />`]]} /><//>
      </div>
    </div>`;
}

function Calls() {
  const until = state.moment.known_at ?? "";
  const pages = usePages(until);
  const calls = useQuery(() => get("/usage", { limit: 20, until, cursor: pages.cursor }), [until, pages.cursor]);
  return html`<${Panel} flush title="Calls"><${Loaded} query=${calls}>${(page) => html`<${Table} label="Calls" rows=${items(page)} columns=${[
    { title: "Model", class: "main-cell", cell: (row) => row.model }, { title: "In", class: "number labelled", cell: (row) => number(row.input) }, { title: "Out", class: "number labelled", cell: (row) => number(row.output) },
    { title: "Cost", class: "number", cell: (row) => (row.cost === null ? "unknown" : money(row.cost)) }, { title: "When", cell: (row) => minute(row.at) },
  ]} />`}<//><//><${Paging} pages=${pages} next=${calls.data?.next} />`;
}
