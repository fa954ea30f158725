// The plane of two times with its cross-hair, the lanes below it, and what was believed at a moment.
import { useMemo, useState } from "../vendor/hooks.mjs";
import { get, items, useQuery } from "../api.js";
import { update, useShared } from "../state.js";
import { Choice, Empty, FactText, Loaded, Page, Panel, Search, html, day, isoDay, plural, standing, useWidth } from "../ui.js";
import { Plane, believed, extent } from "../plane.js";

const SHOWN = 300;
const MOST_LANES = 14;
const STATES = ["live", "superseded", "wrong", "expired", "upcoming", "quarantined"];

export default function Times({ query }) {
  const facts = useQuery(() => get("/facts", { state: "any", limit: SHOWN, contains: query.contains }), [query.contains]);
  return html`<${Page} title="Two times" lead="Right: when something was true. Up: when the memory knew it. Drag the cross-hair, and the whole console shows that moment.">
    <${Loaded} query=${facts}>${(page) => items(page).length ? html`<${Plot} facts=${items(page).filter((fact) => fact.trust !== "quarantined")} search=${query.contains} />` : html`<${Panel}><${Empty} title="Nothing to draw">Facts appear here as soon as there are some.<//><//>`}<//>
  <//>`;
}

function Plot({ facts, search }) {
  const { moment } = useShared();
  const [months, setMonths] = useState(0);
  const [chosen, setChosen] = useState(() => mostChanged(facts));
  const hair = { asOf: +new Date(moment.as_of ?? Date.now()), knownAt: +new Date(moment.known_at ?? Date.now()) };
  const held = facts.filter((fact) => believed(fact, hair.asOf, hair.knownAt));
  return html`<div class="wide-left">
    <div class="stack">
      <${Panel}>
        <div class="stack">
          <div class="filters">
            <${Search} label="Facts that contain" value=${search} onSearch=${(text) => { location.hash = `#/time?${new URLSearchParams(text ? { contains: text } : {})}`; }} />
            ${[[0, "All"], [12, "1 year"], [3, "3 months"]].map(([value, text]) => html`<button class="button" aria-pressed=${months === value} onClick=${() => setMonths(value)}>${text}</button>`)}
            <${Choice} label="Subject" value=${chosen ?? ""} onChoose=${(name) => setChosen(name || null)} options=${[{ value: "", text: "all subjects" }, ...groups(facts).map(([name]) => ({ value: name, text: name }))]} />
          </div>
          <${Plane} facts=${facts} months=${months} hair=${hair} onMove=${moveTo} chosen=${chosen && ((fact) => subject(fact) === chosen)} onChoose=${(fact) => setChosen(subject(fact))} />
          <div class="legend">${STATES.map((name) => html`<span class=${name}><i class="dot"></i>${name}</span>`)}</div>
        </div>
      <//>
      <${Lanes} facts=${facts} months=${months} hair=${hair} chosen=${chosen} onChoose=${setChosen} />
    </div>
    <div class="stack">
      <${Panel} title="The moment">
        <div class="stack">
          <label class="field">True on<input class="input" type="date" value=${isoDay(hair.asOf)} onChange=${(event) => event.target.value && moveTo({ ...hair, asOf: noon(event) })} /></label>
          <label class="field">As known on<input class="input" type="date" value=${isoDay(hair.knownAt)} max=${isoDay(Date.now())} onChange=${(event) => event.target.value && moveTo({ ...hair, knownAt: noon(event) })} /></label>
          <button class="button" onClick=${() => update({ moment: { as_of: null, known_at: null } })}>Back to now</button>
        </div>
      <//>
      <${Panel} title=${`Believed then: ${plural(held.length, "fact")}`}>
        <p class="quiet">What the memory said on ${day(hair.knownAt)} about ${day(hair.asOf)}.</p>
        <ul class="list small">${held.slice(0, 40).map((fact) => html`<li><a class="facts-line" href="#/facts/${fact.id}"><i class="dot ${standing(fact)}"></i><span><${FactText} fact=${fact} /></span></a></li>`)}</ul>
      <//>
    </div>
  </div>`;
}

const noon = (event) => Math.min(Date.now(), +new Date(`${event.target.value}T12:00:00Z`));

function moveTo({ asOf, knownAt }) {
  update({ moment: { as_of: new Date(asOf).toISOString(), known_at: new Date(knownAt).toISOString() } });
}

// What a fact is about: its key, else its first entity, else itself.
const subject = (fact) => (fact.key ? `${fact.key}` : (fact.entities[0] ?? fact.text.slice(0, 40)));

function groups(facts) {
  const found = new Map();
  for (const fact of facts) found.set(subject(fact), [...(found.get(subject(fact)) ?? []), fact]);
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

function mostChanged(facts) {
  const [first] = groups(facts.filter((fact) => fact.key)).filter(([, all]) => all.length > 1);
  return first?.[0] ?? null;
}

const LANE = 28;

// One lane per subject: what was believed about it, at the height of the cross-hair. Periods that
// overlap are drawn below each other.
function Lanes({ facts, months, hair, chosen, onChoose }) {
  const [element, width] = useWidth();
  const range = useMemo(() => extent(facts, months), [facts, months]);
  const lanes = stacked(groups(facts).slice(0, MOST_LANES), hair.knownAt);
  const height = lanes.reduce((sum, lane) => sum + lane.rows.length * LANE, 0);
  const left = Math.min(150, width * 0.3);
  const x = (at) => left + ((Math.min(range.right, Math.max(range.left, at)) - range.left) / (range.right - range.left)) * (width - left - 8);
  return html`<${Panel} title=${`What was true when, as known on ${day(hair.knownAt)}`}><div ref=${element}>
    <svg class="drawing" viewBox="0 0 ${width} ${height}" height=${height} role="img" aria-label="Lanes of subjects over time">
      ${lanes.map((lane) => html`<g>
        <line class="axis" x1="0" x2=${width} y1=${lane.top} y2=${lane.top} />
        <text class=${lane.name === chosen ? "strong" : ""} x="0" y=${lane.top + 18} onClick=${() => onChoose(lane.name)}>${cut(lane.name, left / 7)}</text>
        ${lane.rows.flatMap((row, index) => row.map(({ fact, from, to }) => html`<g class=${standing(fact)}>
          <rect class="lane" x=${x(from)} y=${lane.top + index * LANE + 4} width=${Math.max(2, x(to) - x(from) - 1)} height=${LANE - 8} rx="4"><title>${fact.text}</title></rect>
          <text x=${x(from) + 6} y=${lane.top + index * LANE + 18} pointer-events="none">${cut(fact.text, (x(to) - x(from) - 10) / 6.2)}</text></g>`))}
      </g>`)}
      <line class="hair" x1=${x(hair.asOf)} x2=${x(hair.asOf)} y1="0" y2=${height} />
    </svg></div><//>`;
}

function stacked(named, knownAt) {
  let top = 0;
  return named.map(([name, facts]) => {
    const rows = [];
    for (const bar of facts.flatMap((fact) => period(fact, knownAt)).sort((a, b) => a.from - b.from)) {
      const free = rows.find((row) => row.at(-1).to <= bar.from);
      if (free) free.push(bar);
      else rows.push([bar]);
    }
    const lane = { name, rows: rows.length ? rows : [[]], top };
    top += lane.rows.length * LANE;
    return lane;
  });
}

// The period in which a fact was believed to be true, at one time of knowing.
function period(fact, knownAt) {
  const from = +new Date(fact.valid_from);
  if (!believed(fact, from, knownAt)) return [];
  const ends = [fact.valid_to, fact.expires_at].filter(Boolean).map((text) => +new Date(text));
  return [{ fact, from, to: Math.min(Infinity, ...ends.filter((each) => !believed(fact, each, knownAt))) }];
}

const cut = (text, length) => (length < 3 ? "" : text.length > length ? `${text.slice(0, Math.max(1, length - 1))}…` : text);
