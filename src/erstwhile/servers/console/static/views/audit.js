// The audit trail: every change, by whom, in a chain of hashes.
import { useState } from "../vendor/hooks.mjs";
import { get } from "../api.js";
import { linkTo, minute, number } from "../format.js";
import { Records } from "../records.js";
import { state } from "../state.js";
import { Action, Problem, Scope, Search, html } from "../ui.js";

export default function Audit({ query }) {
  const [result, setResult] = useState(null);
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setResult(await get("/audit/verify").catch((error) => ({ error })));
    setBusy(false);
  };
  const set = (changes) => { location.hash = linkTo("audit", { ...query, ...changes }); };
  return html`<${Records} title="Audit" lead="Every change of the memory, in one chain per scope. A change behind its back breaks the chain." path="/audit" size=${100}
    query=${{ until: state.moment.known_at ?? "", ...query }} asked=${query.action || query.subject}
    actions=${html`<button class="button" disabled=${busy} onClick=${verify}>${busy ? "Verifying…" : "Verify the chain"}</button>`}
    empty=${{ title: "No changes", text: "Each change adds an entry." }}
    columns=${[
      { title: "Action", class: "main-cell", cell: (row) => html`<${Action} of=${row}><code>${row.action}</code><//>${row.reason ? html`<div class="quote">${row.reason}</div>` : ""}` },
      { title: "By", cell: (row) => row.actor }, { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "Subject", cell: (row) => html`<code title=${row.subject}>${String(row.subject ?? "").slice(0, 18)}
        </code>` }, { title: "When", cell: (row) => minute(row.at) },
    ]}>
    <div class="filters"><${Search} label="Action" placeholder="Action, such as replace or message.add" value=${query.action} onSearch=${(action) => set({ action })} />
      <${Search} label="Subject" placeholder="Subject (id)" value=${query.subject} onSearch=${(subject) => set({ subject })} /></div>
    ${result && (result.error ? html`<${Problem} error=${result.error} />` : html`<${Verified} result=${result} />`)}<//>`;
}

const Verified = ({ result }) => html`<div class="notice ${result.ok ? "good" : "bad"}" role="status">${result.ok
  ? `The chain is whole: ${number(result.entries)} entries and ${number(result.records)} records checked.`
  : `The chain is broken: ${JSON.stringify(result.problems)}`}</div>`;
