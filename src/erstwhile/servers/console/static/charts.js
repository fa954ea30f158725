// Small charts as SVG.
import { day, number, tickLabel, ticks } from "./format.js";
import { html, useWidth } from "./ui.js";

const HEIGHT = 160;
const BASE = HEIGHT - 20;
const TOP = 26;

// A line through [time, value] points, with an area below it.
export function Curve({ points, label }) {
  return html`<${Chart} points=${points} label=${label} draw=${({ x, y, left, right }) => {
    const line = points.map(([at, value]) => `L${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("").slice(1);
    return html`<path class="area" d="M${line} V${BASE} H${left} Z" /><path class="curve" d="M${line}" />
      <circle class="end" cx=${right} cy=${y(points.at(-1)[1])} r="3.5" />`;
  }} />`;
}

// A column for each [time, value]; `width` is the time that a column covers, `since` the beginning.
export function Columns({ points, label, width, since }) {
  return html`<${Chart} points=${points} label=${label} room=${width} since=${since} draw=${({ x, y }) => points.map(([at, value]) => html`
    <rect class="column" x=${x(at)} y=${y(value)} width=${Math.max(2, x(at + width) - x(at) - 2)} height=${BASE - y(value)} rx="2"><title>
      ${day(at)}: ${number(value)}</title></rect>`)} />`;
}

function Chart({ points, label, draw, room = 0, since = points[0]?.[0] }) {
  const [element, width] = useWidth();
  if (points.length < 2 && !room) return html`<p class="quiet" ref=${element}>There is too little to draw yet.</p>`;
  const [first, last] = [since, points.at(-1)[0] + room];
  const most = Math.max(...points.map(([, value]) => value), 1e-9);
  const [left, right] = [1, width - 5];
  const x = (at) => left + ((at - first) / (last - first || 1)) * (right - left);
  const y = (value) => BASE - (value / most) * (BASE - TOP);
  const dates = ticks(first, last, Math.max(2, Math.floor(width / 90))).filter((at) => x(at) > 24 && x(at) < right - 24);
  return html`<div ref=${element} style=${{ minHeight: `${HEIGHT}px` }}>
    ${width > 0 && html`<svg class="drawing" viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT} role="img"
      aria-label="${label(most)}, from ${day(first)} to ${day(last)}">
    <line class="axis" x1="0" x2=${width} y1=${y(most)} y2=${y(most)} /><line class="axis" x1="0" x2=${width} y1=${BASE} y2=${BASE} />
    ${dates.map((at) => html`<text x=${x(at)} y=${HEIGHT - 4} text-anchor="middle">${tickLabel(at, last - first)}</text>`)}
    ${draw({ x, y, left, right })}
    <text class="strong" x=${width} y=${TOP - 10} text-anchor="end">${label(most)}</text>
  </svg>`}</div>`;
}
