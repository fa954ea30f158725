// One lane per subject: what was believed about it, at one time of knowing. Periods that overlap are
// drawn below each other. The rows are the same for each time of knowing, so that nothing jumps, and
// the scale is that of the plane above.
import { useMemo } from "./vendor/hooks.mjs";
import { cut, number, standing, tickLabel, ticks } from "./format.js";
import { EDGE, areas, extent } from "./plane.js";
import { state } from "./state.js";
import { html, useWidth } from "./ui.js";

const NAME = 21;
const ROW = 24;
const AXIS = 24;
const MOST = 12;
const ROWS = 5;
const LETTER = 6.4;

// What a fact is about: its key, else its first entity, else itself. Users have keys of their own.
export const subject = (fact) => (fact.key ? [fact.key, state.scope.user ? null : fact.scope.user].filter(Boolean).join(" of ") : (fact.entities[0] ?? cut(fact.text, 40)));

// [[subject, its facts]], the subject with most facts first.
export function groups(facts) {
  const found = new Map();
  for (const fact of facts) found.set(subject(fact), [...(found.get(subject(fact)) ?? []), fact]);
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

export function Lanes({ facts, months, hair, chosen, onChoose }) {
  const [element, width] = useWidth();
  const range = useMemo(() => extent(facts, months), [facts, months]);
  const lanes = useMemo(() => stacked(shown(groups(facts), chosen)), [facts, chosen]);
  const height = lanes.reduce((sum, lane) => sum + lane.height, 0) + AXIS;
  const inner = width - EDGE.left - EDGE.right;
  const place = (at) => Math.min(1, Math.max(0, (at - range.left) / (range.right - range.left)));
  const x = (at) => EDGE.left + place(at) * inner;
  const dates = ticks(range.left, range.right, Math.max(2, Math.floor(inner / 80)));
  const bars = lanes.flatMap((lane) => lane.bars.flatMap(({ fact, row }) => drawn(fact, hair.knownAt).map(({ from, to, ghost }) => ({
    fact, ghost, left: x(from), width: Math.max(2, x(to) - x(from) - 1), top: lane.top + NAME + row * ROW,
  }))));
  return html`<div ref=${element} style=${{ minHeight: `${height}px` }}>
    ${width > 0 && html`<svg class="drawing" viewBox="0 0 ${width} ${height}" height=${height} role="group" aria-label="Lanes of subjects over time">
      ${dates.map((at) => html`<line class="axis" x1=${x(at)} x2=${x(at)} y1="0" y2=${height - AXIS} />
        <text x=${x(at)} y=${height - 8} text-anchor="middle">${tickLabel(at, range.right - range.left)}</text>`)}
      ${lanes.map(({ name, top, hidden }) => html`<line class="axis" x1="0" x2=${width} y1=${top} y2=${top} />
        <text key=${name} class="lane-link halo ${name === chosen ? "strong" : ""}" x="0" y=${top + 15} onClick=${() => onChoose(name)}>
          ${cut(name, width / 8)}${hidden ? ` and ${number(hidden)} more` : ""}</text>`)}
      ${bars.map(({ fact, ghost, left, top, width: wide }) => html`<rect class="lane ${standing(fact)} ${ghost ? "ghost" : ""}" x=${left} y=${top} width=${wide} height=${ROW - 4} rx="4"><title>
        ${fact.text}</title></rect>`)}
      <line class="hair" x1=${x(hair.asOf)} x2=${x(hair.asOf)} y1="0" y2=${height - AXIS} />
      ${bars.filter(({ ghost }) => !ghost).map(({ fact, left, top, width: wide }) => html`<text class="label ${standing(fact)}" x=${left + 6} y=${top + 14} pointer-events="none">
        ${cut(fact.text, (wide - 10) / LETTER)}</text>`)}
    </svg>`}</div>`;
}

// The subjects with most facts, and the chosen one.
const shown = (named, chosen) => named.filter(([name], index) => index < MOST || name === chosen);

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
    const visible = bars.filter(({ row }) => row < ROWS);
    const lane = { name, bars: visible, hidden: bars.length - visible.length, top, height: NAME + Math.max(1, Math.min(ROWS, ends.length)) * ROW + 4 };
    top += lane.height;
    return lane;
  });
}

// The period in which a fact was believed to be true at one time of knowing; a ghost if it was not.
function drawn(fact, knownAt) {
  const all = areas(fact);
  const held = all.filter((area) => area.since <= knownAt && knownAt < area.until);
  return held.length ? held : [{ ...all.at(-1), ghost: true }];
}
