// Blocks: text that agents edit, with versions, differences and restoring.
import { useRef, useState } from "../vendor/hooks.mjs";
import { call, every, get, id, items, post, useQuery } from "../api.js";
import { actionText, minute, number, scopeText } from "../format.js";
import { Paging, usePages } from "../records.js";
import { isKnown, isPast, state } from "../state.js";
import { Bar, Empty, Loaded, Page, Panel, Problem, Scope, html, perform, useAsk } from "../ui.js";
import { Difference } from "../words.js";

export default function Blocks({ rest }) {
  const { ask, dialog } = useAsk();
  const known_at = state.moment.known_at ?? "";
  const blocks = useQuery(() => every("/blocks", { known_at }), [known_at]);
  // The shown block stays, with its draft, when another one comes before it.
  const last = useRef(rest);
  const shown = (all) => {
    const found = all.find((each) => each.id === (rest || last.current)) ?? all[0];
    last.current = found.id;
    return found;
  };
  const add = () => ask({
    title: "Add a block", text: `Every prompt of this scope contains it: ${scopeText(state.scope)}.`, action: "Add",
    fields: [{ name: "name", label: "Name", required: true }, { name: "description", label: "What it is for" }, { name: "content", label: "Text", type: "area" }],
    confirm: async (given) => { const made = await post("/blocks", given, { scope: state.scope }); location.hash = `#/blocks/${made.id}`; },
  });
  return html`<${Page} title="Blocks" lead="Notes that an agent edits itself. They are in every prompt of their scope." actions=${html`<button class="button" onClick=${add}>Add a block</button>`}>
    ${dialog}
    <${Loaded} query=${blocks}>${(all) => all.length ? html`<div class="wide-left">
      <${Detail} block=${shown(all)} key=${shown(all).id} />
      <${Panel} title="All blocks"><ul class="list small">${all.map((block) => html`<li key=${block.id}><a href="#/blocks/${block.id}" aria-current=${block === shown(all) ? "true" : undefined}>${block.name}</a>
        <span class="row spread quiet"><span>version ${block.version}</span><${Scope} of=${block.scope} /></span>
        <${Bar} value=${block.tokens / block.limit_tokens} title="${number(block.tokens)} of ${number(block.limit_tokens)} tokens" />
          <span class="quiet">${number(block.tokens)} of ${number(block.limit_tokens)} tokens</span></li>`)}</ul><//>
    </div>` : html`<${Panel}><${Empty} title="No blocks yet"><span>An agent makes one with its tools, or you do:</span>
      <code>erstwhile blocks add persona "You are a careful reviewer."</code><//><//>`}<//>
  <//>`;
}

function Detail({ block }) {
  const options = { scope: block.scope };
  const path = `/blocks/${id(block.name)}`;
  const [draft, setDraft] = useState(null);
  const [error, setError] = useState(null);
  const pages = usePages(block.id);
  const history = useQuery(() => get(`${path}/history`, { limit: 20, cursor: pages.cursor }, options), [block.id, pages.cursor]);
  // The version that a person began with: a change by somebody else meanwhile is refused.
  const save = async () => {
    try {
      const body = { content: draft.text, expected_version: draft.version };
      await perform("Saved", () => call("PUT", path, { body, ...options }), (made) => post(`${path}/restore`, { version: draft.version, expected_version: made.version }, options));
      setDraft(null);
      setError(null);
    } catch (failure) { setError(failure); }
  };
  const actions = block.read_only ? html`<span class="badge">read-only</span>`
    : draft === null ? html`<button class="button" disabled=${isPast()} onClick=${() => setDraft({ text: block.content, version: block.version })}>Edit</button>`
    : html`<button class="button" onClick=${() => { setDraft(null); setError(null); }}>Cancel</button><button class="button primary" onClick=${save}>Save</button>`;
  return html`<div class="stack">
    <${Panel} title=${block.name} lead=${`${block.description ? `${block.description} · ` : ""}changed ${minute(block.updated_at)}`} actions=${actions}>
      ${error && html`<${Problem} error=${error} />`}
      ${draft === null ? html`<pre class="text">${block.content}
        </pre>` : html`<textarea class="input mono" rows="12" aria-label="Text" value=${draft.text} onInput=${(event) => setDraft({ ...draft, text: event.target.value })}></textarea>`}
    <//>
    <${Panel} title="Versions"><${Loaded} query=${history}>${(page) => html`<ul class="list small">
      ${items(page).filter((each) => isKnown(each, each.at)).map((each) => html`<${Version} key=${each.version} change=${each} block=${block} />`)}</ul>`}<//><${Paging} pages=${pages} next=${history.data?.next} /><//>
  </div>`;
}

function Version({ change: made, block }) {
  const [open, setOpen] = useState(false);
  const { ask, dialog } = useAsk();
  const restoring = (version, expected_version) => post(`/blocks/${id(block.name)}/restore`, { version, expected_version }, { scope: block.scope });
  const restore = () => ask({
    title: `Restore version ${made.version}?`, text: "Its text becomes the newest version. The others stay in the history.", action: "Restore",
    confirm: () => perform("Restored", () => restoring(made.version, block.version), (newest) => restoring(block.version, newest.version)),
  });
  return html`<li>${dialog}<span class="row spread"><span><b>Version ${made.version}</b> <span class="quiet">
    ${actionText(made.action)} by ${made.actor}, ${minute(made.at)}</span></span>
    <span class="row"><button class="button link" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide" : "Difference"}</button>
      ${made.version !== block.version && !isPast() && html`<button class="button" onClick=${restore}>Restore</button>`}</span></span>
    ${made.reason && html`<span class="quote">${made.reason}</span>`}
    ${open && html`<${Difference} before=${made.old?.content ?? ""} after=${made.new?.content ?? ""} />`}</li>`;
}
