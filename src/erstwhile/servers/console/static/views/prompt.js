// The context for a question, section by section, with its tokens.
import { useState } from "../vendor/hooks.mjs";
import { post, useQuery } from "../api.js";
import { Loaded, Page, Panel, html, number } from "../ui.js";

const COLOURS = ["--live", "--superseded", "--upcoming", "--quarantined", "--expired", "--wrong"];

export default function Prompt({ query }) {
  const [asked, setAsked] = useState({ query: query.q ?? "", tokens: 2000 });
  const result = useQuery(() => post("/context", asked), [asked]);
  const ask = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setAsked({ query: form.get("question"), tokens: Number(form.get("tokens")) });
  };
  return html`<${Page} title="Prompt preview" lead="The exact text that a prompt gets for a question, within a budget of tokens.">
    <form class="row" onSubmit=${ask}><input class="input search" type="search" style=${{ flex: 1 }} name="question" aria-label="Question" placeholder="What is the user asking?" value=${asked.query} /><label class="row small">tokens <input class="input" style=${{ width: "7em" }} name="tokens" type="number" min="0" max="100000" value=${asked.tokens} /></label><button class="button primary">Build</button></form>
    <${Loaded} query=${result}>${(context) => html`<${Context} context=${context} />`}<//>
  <//>`;
}

function Context({ context }) {
  const { report } = context;
  const sections = Object.entries(report.sections);
  return html`<div class="wide-left">
    <div class="stack">
      <${Panel} title=${`${number(report.tokens)} of ${number(report.budget)} tokens`}>
        <div class="stacked" role="img" aria-label="Tokens by section">${sections.map(([name, tokens], index) => html`<i title="${name}: ${tokens}" style=${{ width: `${(tokens / Math.max(report.budget, 1)) * 100}%`, background: `var(${COLOURS[index % COLOURS.length]})` }}></i>`)}</div>
        <div class="legend">${sections.map(([name, tokens], index) => html`<span><i class="dot" style=${{ color: `var(${COLOURS[index % COLOURS.length]})` }}></i>${name.replaceAll("_", " ")} ${number(tokens)}</span>`)}</div>
      <//>
      ${context.prefix && html`<${Panel} title="Prefix" actions=${html`<span class="badge state live">cacheable: the same for every question</span>`}><pre class="text">${context.prefix}</pre><//>`}
      ${context.tail && html`<${Panel} title="For this question"><pre class="text">${context.tail}</pre><//>`}
      ${!context.text && html`<${Panel}><p class="quiet">Nothing relevant is stored, so nothing is added to the prompt.</p><//>`}
    </div>
    <div class="stack">
      <${Panel} title="Cited records"><ul class="list small">${context.items.map((item) => html`<li><span><code>[${item.citation}]</code> ${item.text}</span><span class="quiet">${item.section.replaceAll("_", " ")}, ${item.tokens} tokens</span></li>`)}</ul><//>
      ${report.left_out_count > 0 && html`<${Panel} title=${`Left out: ${number(report.left_out_count)}`}><ul class="list small">${report.left_out.slice(0, 30).map((item) => html`<li><span>${item.text ?? item.id}</span><span class="quiet">${item.section ?? ""} ${item.reason ?? item.why ?? ""}</span></li>`)}</ul><//>`}
      ${report.notices.length > 0 && html`<${Panel} title="Notices"><ul class="list small">${report.notices.map((notice) => html`<li>${notice}</li>`)}</ul><//>`}
    </div>
  </div>`;
}
