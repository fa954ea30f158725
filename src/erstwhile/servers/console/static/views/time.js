// The plane of two times with its cross-hair, the lanes below it, and what was believed at a moment.
import { useMemo, useState } from "../vendor/hooks.mjs";
import { get, items, useQuery } from "../api.js";
import { day, isoDay, number, plural, standing } from "../format.js";
import { Lanes, groups, subject } from "../lanes.js";
import { Plane, believed } from "../plane.js";
import { update, useShared } from "../state.js";
import { Choice, Dot, Empty, FactText, Loaded, Page, Panel, Search, Switch, html } from "../ui.js";

const SHOWN = 300;
const STATES = ["live", "superseded", "wrong", "expired", "upcoming"];
const PERIODS = [[0, "All"], [12, "1 year"], [3, "3 months"]];
const LEAD = "To the right: when something was true. Upwards: when the memory knew it. Drag the cross-hair, and the whole console shows that moment.";

export default function Times({ query }) {
  const { contains } = query;
  const facts = useQuery(() => get("/facts", { state: "any", limit: SHOWN, contains }), [contains]);
  const search = html`<${Search} label="Search the text" value=${contains} onSearch=${(text) => { location.hash = `#/time?${new URLSearchParams(text ? { contains: text } : {})}`; }} />`;
  return html`<${Page} title="Two times" lead=${LEAD}>
    <${Loaded} query=${facts}>${(page) => html`<${Plot} facts=${items(page).filter((fact) => fact.trust !== "quarantined")} more=${page.next} search=${search} />`}<//>
  <//>`;
}

function Plot({ facts, more, search }) {
  const { moment } = useShared();
  const [months, setMonths] = useState(0);
  const [picked, setPicked] = useState(null);
  const subjects = useMemo(() => groups(facts), [facts]);
  const chosen = picked === null ? mostChanged(facts) : picked;
  const hair = { asOf: +new Date(moment.as_of ?? Date.now()), knownAt: +new Date(moment.known_at ?? Date.now()) };
  const held = facts.filter((fact) => believed(fact, hair));
  const options = [{ value: "", text: "all subjects" }, ...subjects.map(([name, all]) => ({ value: name, text: all.length > 1 ? `${name} (${all.length})` : name }))];
  return html`<div class="wide-left">
    <div class="stack">
      <${Panel}><div class="stack">
        <div class="filters">
          ${search}
          <${Choice} label="Subject" value=${chosen} onChoose=${setPicked} options=${options} />
          <${Switch} label="Period" value=${months} onChoose=${setMonths} options=${PERIODS} />
        </div>
        ${facts.length ? html`<${Plane} facts=${facts} months=${months} hair=${hair} onMove=${moveTo} onChoose=${(fact) => setPicked(subject(fact))}
            chosen=${chosen && ((fact) => subject(fact) === chosen)} />
          <div class="legend">${STATES.map((name) => html`<span><${Dot} of=${name} />${name}</span>`)}<span class="quiet">dotted: known as it happened</span></div>`
        : html`<${Empty} title="Nothing to draw">Facts appear here as soon as there are some.<//>`}
      </div><//>
      ${facts.length > 0 && html`<${Panel} title=${`What was true when, as known on ${day(hair.knownAt)}`}><${Lanes} facts=${facts} months=${months} hair=${hair} chosen=${chosen} onChoose=${setPicked} /><//>`}
      ${more && html`<p class="quiet">These are the newest ${number(SHOWN)} facts. Search for others, or choose a scope above.</p>`}
    </div>
    <div class="stack">
      <${Moment} hair=${hair} />
      <${Panel} title=${`Believed then: ${plural(held.length, "fact")}`} lead=${`What the memory said on ${day(hair.knownAt)} about ${day(hair.asOf)}.`}>
        <ul class="list small tall">${held.slice(0, 40).map((fact) => html`<li key=${fact.id}><a class="facts-line plain-link" href="#/facts/${fact.id}"><${Dot} of=${standing(fact)} title=${standing(fact)} /><span><${FactText} fact=${fact} /></span></a></li>`)}</ul>
      <//>
    </div>
  </div>`;
}

// Two date fields: the same as the cross-hair, for the keyboard.
function Moment({ hair }) {
  const { moment } = useShared();
  const noon = (event) => Math.min(Date.now(), +new Date(`${event.target.value}T12:00:00Z`));
  const asOf = (event) => event.target.value && moveTo({ ...hair, asOf: +new Date(`${event.target.value}T12:00:00Z`) });
  const knownAt = (event) => event.target.value && moveTo({ ...hair, knownAt: noon(event) });
  return html`<${Panel} title="The moment"><div class="stack tight">
    <label class="field">True on<input class="input" type="date" value=${isoDay(hair.asOf)} onChange=${asOf} /></label>
    <label class="field">As known on<input class="input" type="date" value=${isoDay(hair.knownAt)} max=${isoDay(Date.now())} onChange=${knownAt} /></label>
    <div class="row spread"><span class="quiet">Arrow keys move the cross-hair.</span>
      <button class="button" disabled=${!moment.as_of && !moment.known_at} onClick=${() => update({ moment: { as_of: null, known_at: null } })}>Now</button></div>
  </div><//>`;
}

// A time within an hour of now is the present.
const past = (at) => (Math.abs(Date.now() - at) < 3_600_000 ? null : new Date(at).toISOString());
const moveTo = ({ asOf, knownAt }) => update({ moment: { as_of: past(asOf), known_at: past(knownAt) } });

// The key with most values tells most about time.
function mostChanged(facts) {
  const [first] = groups(facts.filter((fact) => fact.key)).filter(([, all]) => all.length > 1);
  return first?.[0] ?? "";
}
