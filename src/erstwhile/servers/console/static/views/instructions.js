// Standing instructions: they are in every prompt, so a person should know them.
import { every, id, moment, post, useQuery } from "../api.js";
import { originText, scopeText } from "../format.js";
import { isPast, state } from "../state.js";
import { Empty, Loaded, Page, Panel, Scope, Time, change, html, perform, useAsk } from "../ui.js";

export default function Instructions() {
  const { ask, dialog } = useAsk();
  const query = useQuery(() => every("/facts", { kind: "instruction", ...moment() }), [moment()]);
  const send = (fact, verb, body = {}) => post(`/facts/${id(fact.id)}/${verb}`, body, { scope: fact.scope });
  const confirm = (fact) => change("Confirmed", () => send(fact, "confirm"));
  const end = (fact) => ask({
    title: "End this instruction?", text: "Prompts no longer contain it. Its history stays.", action: "End",
    confirm: () => perform("Ended", () => send(fact, "retire", { ending: "superseded" }), () => send(fact, "undo")),
  });
  const add = () => ask({
    title: "Add an instruction", text: `Every prompt of this scope contains it: ${scopeText(state.scope)}.`, action: "Add", fields: [{ name: "text", label: "Instruction", required: true, placeholder: "Always answer in French" }],
    confirm: ({ text }) => perform("Added", () => post("/facts", { text, kind: "instruction" }, { scope: state.scope }), (fact) => send(fact, "retire", { ending: "wrong" })),
  });
  return html`<${Page} title="Instructions" lead="Standing wishes about how to work. Every prompt of their scope contains them." actions=${html`<button class="button" onClick=${add}>Add an instruction</button>`}>
    ${dialog}<${Loaded} query=${query}>${(facts) => facts.length ? html`<${Panel}><ul class="list">${facts.map((fact) => html`<li key=${fact.id} class="judged">
        <div><a class="plain-link" href="#/facts/${fact.id}">${fact.text}</a><div class="row quiet"><${Scope} of=${fact.scope} />
          <span>${originText(fact.origin)}, <${Time} at=${fact.recorded_at} /></span></div></div>
        <span class="row" hidden=${isPast()}>
          ${fact.tier === "inferred" && html`<button class="button" onClick=${() => confirm(fact)}>Confirm</button>`}
          <button class="button" onClick=${() => end(fact)}>End</button></span></li>`)}</ul><//>`
      : html`<${Panel}><${Empty} title="No standing instructions"><span>Tell your agent “Always answer in French”, or type:</span>
        <code>erstwhile remember "Always answer in French" --kind instruction</code><//><//>`}<//>
  <//>`;
}
