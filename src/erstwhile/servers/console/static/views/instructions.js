// Standing instructions: they are in every prompt, so a person should know them.
import { get, id, items, post, useQuery } from "../api.js";
import { Empty, Loaded, Page, Panel, Scope, Time, change, html } from "../ui.js";

export default function Instructions() {
  const query = useQuery(async () => items(await get("/facts", { kind: "instruction", limit: 200 })));
  return html`<${Page} title="Instructions" lead="Standing wishes about how to work. Every prompt of their scope contains them.">
    <${Loaded} query=${query}>${(facts) => facts.length ? html`<div class="stack">${facts.map((fact) => html`<${Instruction} fact=${fact} key=${fact.id} />`)}</div>` : html`<${Panel}><${Empty} title="No standing instructions"><span>Tell your agent “Always answer in French”, or type:</span><code>erstwhile remember "Always answer in French" --kind instruction</code><//><//>`}<//>
  <//>`;
}

function Instruction({ fact }) {
  const options = { scope: fact.scope };
  const path = `/facts/${id(fact.id)}`;
  const confirm = () => change("Confirmed", () => post(`${path}/confirm`, {}, options));
  const end = () => change("Ended", () => post(`${path}/retire`, { ending: "superseded" }, options), () => post(`${path}/undo`, {}, options));
  return html`<${Panel}><div class="stack"><a href="#/facts/${fact.id}">${fact.text}</a>
    <div class="row spread"><span class="row quiet"><${Scope} of=${fact.scope} /><span class="badge">${fact.tier}</span>${fact.origin === "learned" ? "learned from a conversation" : `from a ${fact.origin}`}, <${Time} at=${fact.recorded_at} /></span>
    <span class="row">${fact.tier === "inferred" && html`<button class="button" onClick=${confirm}>Confirm</button>`}<button class="button" onClick=${end}>End</button></span></div></div><//>`;
}
