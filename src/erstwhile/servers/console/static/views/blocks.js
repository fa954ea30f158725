// Blocks: text that agents edit, with versions, differences and restoring.
import { useState } from "../vendor/hooks.mjs";
import { call, get, id, items, post, useQuery } from "../api.js";
import { Empty, Loaded, Page, Panel, Problem, Scope, Time, change, html, minute, number } from "../ui.js";

export default function Blocks({ rest }) {
  const blocks = useQuery(async () => items(await get("/blocks", { limit: 200 })));
  return html`<${Page} title="Blocks" lead="Notes that an agent edits itself. They are in every prompt of their scope.">
    <${Loaded} query=${blocks}>${(all) => all.length ? html`<div class="wide-left">
      <${Detail} block=${all.find((each) => each.id === rest) ?? all[0]} key=${rest} />
      <${Panel} title="All blocks"><ul class="list small">${all.map((block) => html`<li><a href="#/blocks/${block.id}">${block.name}</a><span class="row quiet"><${Scope} of=${block.scope} />version ${block.version}, ${number(block.tokens)} of ${number(block.limit_tokens)} tokens</span></li>`)}</ul><//>
    </div>` : html`<${Panel}><${Empty} title="No blocks yet"><span>An agent makes one with its tools, or you do:</span><code>erstwhile blocks add persona "You are a careful reviewer."</code><//><//>`}<//>
  <//>`;
}

function Detail({ block }) {
  const options = { scope: block.scope };
  const [text, setText] = useState(null);
  const [error, setError] = useState(null);
  const history = useQuery(async () => items(await get(`/blocks/${id(block.name)}/history`, { limit: 50 }, options)), [block.id]);
  const save = async () => {
    try {
      await call("PUT", `/blocks/${id(block.name)}`, { body: { content: text, expected_version: block.version }, ...options });
      setText(null); setError(null);
    } catch (failure) { setError(failure); }
  };
  return html`<div class="stack">
    <${Panel} title=${block.name} actions=${html`<span class="row">${block.read_only ? html`<span class="badge">read-only</span>` : text === null ? html`<button class="button" onClick=${() => setText(block.content)}>Edit</button>` : html`<button class="button primary" onClick=${save}>Save</button><button class="button" onClick=${() => setText(null)}>Cancel</button>`}</span>`}>
      <div class="stack"><p class="quiet">${block.description} · changed ${minute(block.updated_at)}</p>
      ${error && html`<${Problem} error=${error} />`}
      ${text === null ? html`<pre class="text">${block.content}</pre>` : html`<textarea class="input mono" rows="12" aria-label="Text" value=${text} onInput=${(event) => setText(event.target.value)}></textarea>`}</div>
    <//>
    <${Panel} title="Versions"><${Loaded} query=${history}>${(versions) => html`<ul class="list small">${versions.map((version, index) => html`<${Version} version=${version} older=${versions[index + 1]} block=${block} />`)}</ul>`}<//><//>
  </div>`;
}

function Version({ version, older, block }) {
  const [open, setOpen] = useState(false);
  const shown = version.block ?? version;
  const restore = () => change("Restored", () => post(`/blocks/${id(block.name)}/restore`, { version: shown.version }, { scope: block.scope }));
  return html`<li><span class="row spread"><span><b>version ${shown.version}</b> <span class="quiet">${version.action ?? ""} ${version.actor ? `by ${version.actor}` : ""} <${Time} at=${version.at ?? shown.updated_at} /></span></span>
    <span class="row"><button class="button link" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide" : "Difference"}</button>${shown.version !== block.version && html`<button class="button" onClick=${restore}>Restore</button>`}</span></span>
    ${open && html`<pre class="text diff">${words((older?.block ?? older)?.content ?? "", shown.content)}</pre>`}</li>`;
}

// The difference of two texts, word by word: the longest common subsequence is kept.
function words(before, after) {
  const [a, b] = [before, after].map((text) => text.split(/(\s+)/).slice(0, 1500));
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const parts = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) { parts.push(a[i]); i += 1; j += 1; }
    else if (j < b.length && (i === a.length || common[i][j + 1] >= common[i + 1][j])) { parts.push(html`<ins>${b[j]}</ins>`); j += 1; }
    else { parts.push(html`<del>${a[i]}</del>`); i += 1; }
  }
  return parts;
}
