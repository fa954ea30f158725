// Small charts as SVG.
import { html, day, number, useWidth } from "./ui.js";

const HEIGHT = 150;

// The running total of records over time, from their times.
export function Growth({ times, label }) {
  const sorted = times.map((time) => +new Date(time)).sort((a, b) => a - b);
  return html`<${Curve} points=${sorted.map((at, index) => [at, index + 1])} label=${label} stepped />`;
}

// A line through [time, value] points, with an area below it.
export function Curve({ points, label, stepped }) {
  const [element, width] = useWidth();
  const drawing = points.length > 1 && width > 0 ? plot(points, width, stepped) : null;
  return html`<div ref=${element}>${drawing
    ? html`<svg class="drawing" viewBox="0 0 ${width} ${HEIGHT}" height=${HEIGHT} role="img" aria-label="${number(drawing.most)} ${label}, from ${day(points[0][0])} to ${day(points.at(-1)[0])}">
        <line class="axis" x1="0" x2=${width} y1=${HEIGHT - 18} y2=${HEIGHT - 18} />
        <path class="area" d="${drawing.path} V${HEIGHT - 18} H${drawing.left} Z" /><path class="curve" d=${drawing.path} />
        <text x="0" y=${HEIGHT - 4}>${day(points[0][0])}</text><text x=${width} y=${HEIGHT - 4} text-anchor="end">${day(points.at(-1)[0])}</text>
        <text class="strong" x=${width} y="12" text-anchor="end">${number(drawing.most)} ${label}</text>
      </svg>`
    : html`<p class="quiet">There is too little to draw yet.</p>`}</div>`;
}

function plot(points, width, stepped) {
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const most = Math.max(...points.map(([, value]) => value), 1e-9);
  const x = (at) => 1 + ((at - first) / (last - first || 1)) * (width - 2);
  const y = (value) => HEIGHT - 18 - (value / most) * (HEIGHT - 42);
  const line = points.map(([at, value]) => (stepped ? `H${x(at).toFixed(1)}V${y(value).toFixed(1)}` : `L${x(at).toFixed(1)} ${y(value).toFixed(1)}`)).join("");
  return { path: `M${x(first)} ${y(stepped ? 0 : points[0][1])}${line}`, left: x(first), most };
}
