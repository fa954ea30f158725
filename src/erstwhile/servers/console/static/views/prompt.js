// The context for a question and a budget: section by section, with its tokens.
import { useState } from "../vendor/hooks.mjs";
import { post, seesEverything, useQuery } from "../api.js";
import { state } from "../state.js";
import { number, percent, plural, words } from "../format.js";
import { Empty, Loaded, More, Page, Panel, html } from "../ui.js";

const COLOURS = ["--live", "--superseded", "--upcoming", "--quarantined", "--expired", "--wrong"];

export default function Prompt({ query }) {
  const [asked, setAsked] = useState({ query: query.q ?? "", tokens: 2000 });
  const { as_of, known_at } = state.moment;
  const date = known_at ?? as_of;
  const result = useQuery(() => post("/context", { ...asked, ...(date && { now: date }) }), [asked, date]);
  const ask = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setAsked({ query: form.get("question"), tokens: Number(form.get("tokens")) });
  };
  return html`<${Page} title="Prompt preview" lead="The exact text that a prompt gets for a question, within a budget of tokens.">
    <form class="filters" onSubmit=${ask}>
      <input class="input search" type="search" name="question" aria-label="Question" placeholder="What is the user asking?" defaultValue=${asked.query} />
      <label class="row small quiet">tokens <input class="input short" name="tokens" type="number" min="0" max="100000" defaultValue=${asked.tokens} /></label>
      <button class="button primary">Build</button>
    </form>
    ${seesEverything() && html`<p class="notice soft">This is everybody's memory at once. An agent sees one: choose it above.</p>`}
    <${Loaded} query=${result}>${(context) => html`<${Context} context=${context} />`}<//>
  <//>`;
}

// After the last colour, the first ones come again, paler.
function colourOf(index) {
  const share = index < COLOURS.length ? 100 : 50;
  return index < 0 ? "var(--line-strong)" : `color-mix(in srgb, var(${COLOURS[index % COLOURS.length]}) ${share}%, var(--panel))`;
}

function Context({ context }) {
  const { report, items } = context;
  const names = Object.keys(report.sections);
  const colour = (name) => colourOf(names.indexOf(name));
  if (!context.text) return html`<${Panel}><${Empty} title="Nothing is added to the prompt"><span>Nothing relevant is stored for this scope and question.</span><//><//>`;
  return html`
    <${Panel} title=${`${number(report.tokens)} of ${number(report.budget)} tokens`} actions=${html`<span class="quiet">counted as ${report.tokenizer}</span>`}>
      <${Budget} report=${report} colour=${colour} />
    <//>
    <div class="wide-left">
      <div class="stack">
        ${context.prefix && html`<${Text} title="Prefix" badge="cacheable: the same for every question" text=${context.prefix} items=${items} colour=${colour} />`}
        ${context.tail && html`<${Text} title="For this question" text=${context.tail} items=${items} colour=${colour} />`}
      </div>
      <div class="stack">
        ${report.notices.map((notice) => html`<p class="notice soft">${notice}</p>`)}
        <${LeftOut} report=${report} />
        <${Cited} items=${items} />
      </div>
    </div>`;
}

// The sections as parts of the budget, and below them the part that a provider can cache.
function Budget({ report, colour }) {
  const share = (tokens) => `${(tokens / Math.max(report.budget, 1)) * 100}%`;
  const sections = Object.entries(report.sections);
  return html`<div class="stack tight">
    <div class="stacked" role="img" aria-label="Tokens by section">
      ${sections.map(([name, tokens]) => html`<i title="${words(name)}: ${tokens} tokens" style=${{ width: share(tokens), background: colour(name) }}></i>`)}</div>
    ${report.prefix > 0 && html`<div class="bracket" style=${{ width: share(report.prefix) }}></div><p class="quiet"><b>
      ${number(report.prefix)} tokens</b> are the cacheable prefix, ${percent(report.prefix / Math.max(report.tokens, 1))} of the text</p>`}
    <div class="legend">${sections.map(([name, tokens]) => html`<span><i class="dot" style=${{ color: colour(name) }}></i>${words(name)} <b>
      ${number(tokens)}</b></span>`)}<span class="quiet">free ${number(report.budget - report.tokens)}</span></div>
  </div>`;
}

// The text, cut at its headings. A part has the colour of the section of its first citation.
function Text({ title, badge, text, items, colour }) {
  const sections = new Map(items.map((item) => [item.citation, item.section]));
  const parts = text.split(/(?=^## )/m).map((part) => {
    const cited = [...part.matchAll(/^\[([^\s,\]]+)/gm)].map(([, citation]) => sections.get(citation)).find(Boolean);
    return { part, section: cited };
  });
  return html`<${Panel} title=${title} actions=${badge && html`<span class="badge state live">${badge}</span>`}>
    <div class="prompt-text">${parts.map(({ part, section }) => html`<pre title=${section && words(section)} style=${{ borderColor: section ? colour(section) : "var(--line)" }}>
      ${part.trimEnd()}</pre>`)}</div>
  <//>`;
}

const MOST = 30;
const REASONS = { budget: "beyond the budget", duplicate: "said already", overridden: "a narrower scope says otherwise" };

function LeftOut({ report }) {
  if (!report.left_out_count) return html`<${Panel} title="Left out: nothing">
    <p class="quiet">Everything relevant fits. ${report.below_floor ? `${plural(report.below_floor, "record")} not relevant.` : ""}</p><//>`;
  const reasons = Map.groupBy(report.left_out, (each) => words(each.reason));
  return html`<${Panel} title=${`Left out: ${number(report.left_out_count)}`}>${[...reasons].map(([reason, all]) => html`
    <details open=${reason !== "duplicate"}><summary class="small"><b>${REASONS[reason] ?? reason}</b> <span class="quiet">${number(all.length)}</span></summary>
      <ul class="list small">${all.slice(0, MOST).map((each) => html`<li><span>${each.text}</span><span class="quiet">${words(each.section)}
        </span></li>`)}</ul><${More} count=${all.length - MOST} /></details>`)}<//>`;
}

const Cited = ({ items }) => html`<${Panel} title=${plural(items.length, "cited record")}><details><summary class="small">Show them</summary>
  <ul class="list small">${items.map((item) => html`<li><span><code>[${item.citation}]</code> ${item.text}</span><span class="quiet">
    ${words(item.section)}, ${plural(item.tokens, "token")}</span></li>`)}</ul></details><//>`;
