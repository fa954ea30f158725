// The capture ledger: what was stored, from whose words, by which client, at what cost.
import { useState } from "./vendor/hooks.mjs";
import { get, items, useQuery } from "./api.js";
import { ago, minute, money, originText, plural, scopeText } from "./format.js";
import { Empty, FactText, Loaded, Panel, State, Switch, html } from "./ui.js";
import { DAY } from "./plane.js";

const MOST = 100;
const SHOWN = 10;
const PERIODS = [[1, "Today"], [7, "7 days"], [30, "30 days"]];

export function Ledger() {
  const [days, setDays] = useState(null);
  const query = useQuery(() => captured(days), [days]);
  const shown = days ?? query.data?.days ?? 1;
  return html`<${Panel} title="Capture ledger" lead="What was stored, from whose words, by which client, at what cost."
      actions=${html`<${Switch} label="Period" value=${shown} onChoose=${setDays} options=${PERIODS} />`}>
    <${Loaded} query=${query}>${(captured) => html`<${Entries} ...${captured} />`}<//>
  <//>`;
}

// Until a person chooses, the shortest period with a fact in it.
async function captured(days) {
  for (const tried of days ? [days] : PERIODS.map(([each]) => each)) {
    const found = await within(tried);
    if (days || found.facts.length || tried === PERIODS.at(-1)[0]) return found;
  }
}

async function within(days) {
  const since = new Date(Math.floor(Date.now() / DAY) * DAY - (days - 1) * DAY).toISOString();
  const [facts, audit, attempts, spent] = await Promise.all([
    get("/facts", { state: "any", since, limit: MOST }), get("/audit", { since, limit: 500 }),
    get("/learning/attempts", { limit: MOST }), get("/usage/summary", { since }),
  ]);
  return { days, facts: items(facts), more: facts.next, audit: items(audit), attempts: items(attempts).filter((each) => each.created_at >= since), spent: items(spent)[0] };
}

function Entries({ facts, more, audit, attempts, spent }) {
  if (!facts.length && !attempts.length) return html`<${Empty} title="Nothing was stored">Facts appear here as soon as an agent or a person stores one.<//>`;
  const writers = new Map([...audit].reverse().map((entry) => [entry.subject, entry.actor]));
  const learned = new Map(attempts.flatMap((attempt) => attempt.changes.map((change) => [change.fact, { ...change, attempt }])));
  const read = attempts.length && `${plural(attempts.length, "turn")} read, ${attempts.filter((each) => each.outcome === "learned").length} taught something`;
  const cost = Number(spent?.cost) > 0 ? money(spent.cost) : plural((spent?.input ?? 0) + (spent?.output ?? 0), "token");
  return html`<p class="small"><b>${more ? `more than ${MOST} facts` : plural(facts.length, "fact")}</b> stored${read ? ` · ${read}` : ""} · ${cost} spent</p>
    <ul class="list ledger">${facts.slice(0, SHOWN).map((fact) => html`<li key=${fact.id}><${Entry} fact=${fact} by=${writers.get(fact.id)} from=${learned.get(fact.id)} /></li>`)}</ul>
    ${(more || facts.length > SHOWN) && html`<a class="small" href="#/facts?state=any">All facts</a>`}`;
}

const Entry = ({ fact, by, from }) => html`
  <span class="row spread nowrap"><a class="plain-link" href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a><${State} of=${fact} /></span>
  ${from?.quote && html`<span class="quote">“${from.quote}”</span>`}
  <span class="quiet">${originText(fact.origin)}${by ? ` · by ${by}` : ""} · ${scopeText(fact.scope)} · <time title=${minute(fact.recorded_at)}>${ago(fact.recorded_at)}</time>${from?.attempt.cost ? ` · ${money(from.attempt.cost)}` : ""}</span>`;
