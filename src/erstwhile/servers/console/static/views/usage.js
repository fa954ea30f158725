// Tokens and money, over time and by model.
import { get, items, useQuery } from "../api.js";
import { Definition, Empty, Loaded, Page, Panel, Table, html, minute, number } from "../ui.js";
import { Curve } from "../charts.js";

export default function Usage() {
  const query = useQuery(async () => {
    const [entries, status] = await Promise.all([get("/usage", { limit: 500 }), get("/learning/status")]);
    return { entries: items(entries), status };
  });
  return html`<${Page} title="Usage" lead="What language models cost, as recorded.">
    <${Loaded} query=${query}>${({ entries, status }) => entries.length ? html`<${Figures} entries=${entries} status=${status} />` : html`<${Panel}><${Empty} title="Nothing was spent">Calls of language models appear here.<//><//>`}<//>
  <//>`;
}

function Figures({ entries, status }) {
  const sum = (name) => entries.reduce((total, entry) => total + Number(entry[name] ?? 0), 0);
  let total = 0;
  const spent = [...entries].reverse().map((entry) => [+new Date(entry.at ?? entry.created_at), (total += Number(entry.cost ?? 0))]);
  return html`<div class="figures">${[["input", "tokens in"], ["output", "tokens out"]].map(([name, text]) => html`<div class="figure"><b>${number(sum(name))}</b><span>${text}</span></div>`)}
      <div class="figure"><b>$${sum("cost").toFixed(4)}</b><span>in all</span></div></div>
    <${Panel} title="Money over time"><${Curve} points=${spent} label="dollars" /><//>
    <${Panel} title="Today, of the daily limit"><${Definition} entries=${[["limit", status.limit], ["spent", status.spent.cost ? `$${status.spent.cost}` : `${number(status.spent.input + status.spent.output)} tokens`], ["reached", status.reached || "no"]]} /><//>
    <${Panel} flush title="Calls"><${Table} label="Calls" rows=${entries} columns=${[
      { title: "Model", cell: (row) => row.model }, { title: "In", class: "number", cell: (row) => number(row.input) }, { title: "Out", class: "number", cell: (row) => number(row.output) },
      { title: "Cost", class: "number", cell: (row) => (row.cost ? `$${row.cost}` : "") }, { title: "When", cell: (row) => minute(row.at ?? row.created_at) },
    ]} /><//>`;
}
