// The audit trail: every change, by whom, in a chain of hashes.
import { useState } from "../vendor/hooks.mjs";
import { get } from "../api.js";
import { Problem, Scope, html, minute } from "../ui.js";
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

const Verified = ({ result }) => {
  const broken = result.problems ?? result.broken ?? [];
  return html`<div class="notice ${broken.length ? "" : "soft"}" role="status">${broken.length ? `The chain is broken: ${JSON.stringify(broken)}` : `The chain is whole: ${result.entries ?? result.checked ?? "all"} entries checked.`}</div>`;
};
