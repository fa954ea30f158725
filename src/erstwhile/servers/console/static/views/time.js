// The plane of two times with its cross-hair, the lanes below it, and what was believed at a moment.
import { useMemo, useState } from "../vendor/hooks.mjs";
import { get, id, items, useQuery } from "../api.js";
import { cut, day, isoDay, linkTo, number, plural, standing } from "../format.js";
import { Lanes, groups, subject } from "../lanes.js";
import { Plane, areas, believed, withStates } from "../plane.js";
import { isPast, update, useShared } from "../state.js";
import { Choice, Day, Dot, Empty, FactLink, Loaded, Page, Panel, Search, Switch, html } from "../ui.js";

const SHOWN = 200;
const AT_ONCE = 6;
const SAID = 120;
const STATES = ["live", "superseded", "wrong", "expired", "upcoming", "quarantined"];
const PERIODS = [[0, "All"], [12, "1 year"], [3, "3 months"]];
const LEAD = "To the right: when it was true. Upwards: when the memory knew it. Drag the cross-hair: the whole console turns to that moment.";

export default function Times({ query }) {
  const { contains } = query;
  const facts = useQuery(() => changing(contains), [contains]);
  const search = html`<${Search} label="Search the text" value=${contains} onSearch=${(text) => { location.hash = linkTo("time", { contains: text }); }} />`;
  return html`<${Page} title="Two times" lead=${LEAD}>
    <${Loaded} query=${facts}>${({ all, more }) => html`<${Plot} facts=${all} more=${more} search=${search} />`}<//>
  <//>`;
}

// The newest facts, and the newest that ended: those tell most about time.
async function changing(contains) {
  const [any, ended] = await Promise.all(["any", "retired"].map((state) => get("/facts", { state, limit: SHOWN, contains })));
  const all = [...new Map([...items(any), ...items(ended)].map((fact) => [fact.id, fact])).values()];
  const left = all.filter((fact) => fact.known_from !== fact.recorded_at);
  await Promise.all(Array.from({ length: AT_ONCE }, () => readHistories(left)));
  return { all: all.map((fact) => ({ ...fact, states: statesOf(fact) })).filter((fact) => areas(fact).length), more: any.next };
}

// The states that facts have had. They are asked for once: only a change adds one.
const known = new Map();
const statesOf = (fact) => (known.get(fact.id)?.known_from === fact.known_from ? known.get(fact.id).states : undefined);

// What was deleted or erased meanwhile has no history.
const onlyGone = (error) => { if (error.status !== 404) throw error; };

// A history tells the states of a fact and of those that it replaced, or that replaced it.
async function readHistories(left) {
  for (let fact = left.pop(); fact; fact = left.pop()) {
    if (statesOf(fact)) continue;
    const steps = await get(`/facts/${id(fact.id)}/history`, {}, { scope: fact.scope }).catch(onlyGone);
    for (const each of withStates(items(steps))) known.set(each.id, each);
  }
}

function Plot({ facts, more, search }) {
  const { moment } = useShared();
  const [months, setMonths] = useState(0);
  const [picked, setPicked] = useState(null);
  const subjects = useMemo(() => groups(facts), [facts]);
  const chosen = picked === null ? mostChanged(facts) : picked;
  const hair = { asOf: +new Date(moment.as_of ?? Date.now()), knownAt: +new Date(moment.known_at ?? Date.now()) };
  const held = facts.filter((fact) => believed(fact, hair));
  const drawn = chosen ? facts.filter((fact) => subject(fact) === chosen) : facts;
  const options = [{ value: "", text: "all subjects" }, ...subjects.map(([name, all]) => ({ value: name, text: all.length > 1 ? `${name} (${all.length})` : name }))];
  return html`<div class="wide-left">
    <div class="stack">
      <${Panel}><div class="stack">
        <div class="filters">
          ${search}
          <${Choice} label="Subject" value=${chosen} onChoose=${setPicked} options=${options} />
          <${Switch} label="Period" value=${months} onChoose=${setMonths} options=${PERIODS} />
        </div>
        ${facts.length ? html`<${Reading} hair=${hair} chosen=${chosen} held=${held} />
          <${Plane} facts=${drawn} within=${facts} apart=${chosen && drawn.every((fact) => fact.key)} months=${months} hair=${hair} onMove=${moveTo} onChoose=${(fact) => (chosen ? open(fact) : setPicked(subject(fact)))} />
          <div class="legend">${STATES.filter((name) => drawn.some((fact) => standing(fact) === name)).map((name) => html`<span><${Dot} of=${name} />${name}</span>`)}
            <span><i class="dots"></i>known as it happened</span></div>
          <${Moment} hair=${hair} />`
        : html`<${Empty} title="Nothing to draw"><span>Store what was true once, and then what replaced it:</span>
          <code>erstwhile facts set city Lisbon --valid-from 2024-03-01</code><code>erstwhile facts set city Porto</code><span>Each becomes a rectangle here.</span><//>`}
      </div><//>
      ${facts.length > 0 && html`<${Panel} title=${`What was true when, as known on ${day(hair.knownAt)}`} lead="Dashed: the memory did not believe it on that day.">
        <${Lanes} facts=${facts} months=${months} hair=${hair} chosen=${chosen} onChoose=${setPicked} /><//>`}
      ${more && html`<p class="quiet">These are the newest ${number(SHOWN)} facts, and as many that ended. Search for others, or choose a scope above.</p>`}
    </div>
    <div class="stack">
      ${facts.length > 0 && html`<${Panel} title=${`Believed ${isPast() ? "then" : "now"}: ${more ? "at least " : ""}${plural(held.length, "fact")}`} lead=${isPast() && `What the memory said on ${day(hair.knownAt)} about ${day(hair.asOf)}.`}>
        <ul class="list small tall">${held.map((fact) => html`<li key=${fact.id}><span class="row nowrap">
          <${Dot} of=${standing(fact)} title=${standing(fact)} /><${FactLink} fact=${fact} /></span></li>`)}</ul>
      <//>`}
    </div>
  </div>`;
}

const open = (fact) => { location.hash = `#/facts/${fact.id}`; };

// What the memory believed at the cross-hair, in one sentence.
function Reading({ hair, chosen, held }) {
  const about = held.filter((fact) => !chosen || subject(fact) === chosen);
  const said = about.length > 2 ? plural(about.length, "fact") : about.map((fact) => cut(fact.text, SAID)).join(" · ") || "nothing";
  return html`<div class="reading" role="status"><span>As known on <b>${day(hair.knownAt)}</b>, this was true on <b>${day(hair.asOf)}</b>
    ${chosen && html` about ${chosen}`}:</span>
    <strong class=${about.length ? standing(about[0]) : "quiet"}>${said}</strong></div>`;
}

// Two date fields: the same as the cross-hair, for the keyboard.
function Moment({ hair }) {
  const noon = (event) => +new Date(`${event.target.value}T12:00:00Z`);
  const asOf = (event) => event.target.value && moveTo({ ...hair, asOf: noon(event) });
  const knownAt = (event) => event.target.value && moveTo({ ...hair, knownAt: Math.min(Date.now(), noon(event)) });
  return html`<div class="filters small">
    <${Day} label="True on" at=${hair.asOf} onChange=${asOf} />
    <${Day} label="As known on" at=${hair.knownAt} max=${isoDay(Date.now())} onChange=${knownAt} />
    <button class="button" disabled=${!isPast()} onClick=${() => update({ moment: { as_of: null, known_at: null } })}>Now</button>
    <span class="quiet keyboard">or the arrow keys</span>
  </div>`;
}

// A time within an hour of now is the present.
const past = (at) => (Math.abs(Date.now() - at) < 3_600_000 ? null : new Date(at).toISOString());
const moveTo = ({ asOf, knownAt }) => update({ moment: { as_of: past(asOf), known_at: past(knownAt) } });

// The key with most values tells most about time.
function mostChanged(facts) {
  const [first] = groups(facts.filter((fact) => fact.key)).filter(([, all]) => all.length > 1);
  return first?.[0] ?? "";
}
