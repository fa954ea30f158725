// Questions with the record that is expected. They stay in this browser, by their ids.
import { useState } from "./vendor/hooks.mjs";
import { get, id, useQuery } from "./api.js";
import { plural, recordText } from "./format.js";
import { toast } from "./state.js";
import { Panel, html } from "./ui.js";

const stored = () => JSON.parse(localStorage.getItem("cases") ?? "[]");

export function Cases({ question, best, rank }) {
  const [cases, setCases] = useState(stored);
  const [busy, setBusy] = useState(false);
  const keep = (next) => { localStorage.setItem("cases", JSON.stringify(next)); setCases(next); };
  const run = async () => {
    setBusy(true);
    const ranked = [];
    for (const each of cases) ranked.push({ ...each, rank: await rank(each) });
    keep(ranked);
    setBusy(false);
  };
  const save = () => { keep([...cases, { question, expected: best.record.id, kind: best.kind, rank: 1 }]); toast("Saved as a case"); };
  const found = cases.filter((each) => each.rank).length;
  return html`<${Panel} title="Cases" lead="Questions with the answers that you expect. Run them again after a change of the memory or of the settings." actions=${html`
      <button class="button" disabled=${!best} onClick=${save}>Save this question with its first hit</button>
      <button class="button" disabled=${!cases.length || busy} onClick=${run}>${busy ? "Running…" : "Run all"}</button>`}>
    ${cases.length > 0 && html`<p class="small" role="status"><b>${found} of ${plural(cases.length, "case")}</b> found</p>
      <ul class="list small">${cases.map((each) => html`<li key=${each.question + each.expected}><${Case} case=${each} remove=${() => keep(cases.filter((other) => other !== each))} /></li>`)}</ul>`}
  <//>`;
}

function Case({ case: each, remove }) {
  const path = each.kind === "facts" ? "/facts" : "/messages";
  const expected = useQuery(() => get(`${path}/${id(each.expected)}`), [each.expected]);
  return html`<span class="row spread"><span>${each.question} <span class="quiet">→ ${expected.data ? recordText(expected.data) : expected.error ? "a record that is gone" : "…"}</span></span>
    <span class="row"><span class="badge state ${each.rank ? "live" : "wrong"}">${each.rank ? `place ${each.rank}` : "not found"}</span><button class="button link" onClick=${remove}>Remove</button></span></span>`;
}
