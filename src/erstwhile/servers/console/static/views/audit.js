// The audit trail: every change, by whom, in a chain of hashes.
import { useState } from "../vendor/hooks.mjs";
import { get } from "../api.js";
import { Problem, Scope, html, minute, number } from "../ui.js";
import { Records } from "../records.js";

export default function Audit() {
  const [result, setResult] = useState(null);
  const verify = async () => setResult(await get("/audit/verify").catch((error) => ({ error })));
  return html`<${Records} title="Audit" lead="Every change of the memory, in one chain per scope. A change behind its back breaks the chain." path="/audit" size=${100}
    actions=${html`<button class="button" onClick=${verify}>Verify the chain</button>`}
    empty=${{ title: "No changes yet", text: "Each change adds an entry." }}
    columns=${[
      { title: "Action", class: "main-cell", cell: (row) => html`<b>${row.action.replaceAll(".", " ")}</b>${row.reason ? html`<div class="quote">${row.reason}</div>` : ""}` },
      { title: "By", cell: (row) => row.actor }, { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "Subject", cell: (row) => html`<code>${String(row.subject ?? "").slice(0, 18)}</code>` }, { title: "When", cell: (row) => minute(row.at) },
    ]}>${result && (result.error ? html`<${Problem} error=${result.error} />` : html`<${Verified} result=${result} />`)}<//>`;
}

const Verified = ({ result }) => html`<div class="notice ${result.ok ? "soft" : ""}" role="status">${result.ok
  ? `The chain is whole: ${number(result.entries)} entries and ${number(result.records)} records checked.`
  : `The chain is broken: ${JSON.stringify(result.problems)}`}</div>`;
