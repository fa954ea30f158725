// One lane per subject: what was believed about it, at one time of knowing. Periods that overlap are
// drawn below each other. The rows are the same for each time of knowing, so that nothing jumps.
import { useMemo } from "./vendor/hooks.mjs";
import { cut, standing } from "./format.js";
import { areas, extent } from "./plane.js";
import { state } from "./state.js";
import { html, useWidth } from "./ui.js";

const LANE = 28;
const MOST = 14;

// What a fact is about: its key, else its first entity, else itself. Users have keys of their own.
export const subject = (fact) => (fact.key ? [fact.key, state.scope.user ? null : fact.scope.user].filter(Boolean).join(", ") : (fact.entities[0] ?? cut(fact.text, 40)));

// [[subject, its facts]], the subject with most facts first.
export function groups(facts) {
  const found = new Map();
  for (const fact of facts) found.set(subject(fact), [...(found.get(subject(fact)) ?? []), fact]);
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

export function Lanes({ facts, months, hair, chosen, onChoose }) {
  const [element, width] = useWidth();
  const range = useMemo(() => extent(facts, months), [facts, months]);
  const lanes = useMemo(() => stacked(groups(facts).slice(0, MOST)), [facts]);
  const height = lanes.reduce((sum, lane) => sum + lane.rows * LANE, 0);
  const left = Math.min(150, width * 0.3);
  const place = (at) => Math.min(1, Math.max(0, (at - range.left) / (range.right - range.left)));
  const x = (at) => left + place(at) * (width - left - 1);
  return html`<div ref=${element} style=${{ minHeight: `${height}px` }}>
    ${width > 0 && html`<svg class="drawing" viewBox="0 0 ${width} ${height}" height=${height} role="group" aria-label="Lanes of subjects over time">
      <line class="hair" x1=${x(hair.asOf)} x2=${x(hair.asOf)} y1="0" y2=${height} />
      ${lanes.map((lane) => html`<g key=${lane.name}>
        <line class="axis" x1="0" x2=${width} y1=${lane.top} y2=${lane.top} />
        <text class="lane-link ${lane.name === chosen ? "strong" : ""}" x="0" y=${lane.top + 18} onClick=${() => onChoose(lane.name)}>${cut(lane.name, left / 7)}</text>
        ${lane.bars.flatMap((bar) => period(bar.fact, hair.knownAt).map(([from, to]) => html`<g class=${standing(bar.fact)}>
          <rect class="lane" x=${x(from)} y=${lane.top + bar.row * LANE + 4} width=${Math.max(2, x(to) - x(from) - 1)} height=${LANE - 8} rx="4"><title>${bar.fact.text}</title></rect>
          <text x=${x(from) + 6} y=${lane.top + bar.row * LANE + 18} pointer-events="none">${cut(bar.fact.text, (x(to) - x(from) - 10) / 6.2)}</text></g>`))}
      </g>`)}
    </svg>`}</div>`;
}

function stacked(named) {
  let top = 0;
  return named.map(([name, facts]) => {
    const ends = [];
    const known = facts.map((fact) => ({ fact, spans: areas(fact).map(({ from, to }) => [from, to]) })).filter(({ spans }) => spans.length);
    const bars = known.sort((a, b) => a.spans[0][0] - b.spans[0][0]).map(({ fact, spans }) => {
      const [from, to] = spans.at(-1);
      const free = ends.findIndex((end) => end <= from);
      const row = free < 0 ? ends.length : free;
      ends[row] = to;
      return { fact, row };
    });
    const lane = { name, bars, rows: Math.max(1, ends.length), top };
    top += lane.rows * LANE;
    return lane;
  });
}

// The period in which a fact was believed to be true, at one time of knowing.
const period = (fact, knownAt) => areas(fact).filter((area) => area.since <= knownAt && knownAt < area.until).map(({ from, to }) => [from, to]);
