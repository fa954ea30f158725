// Place the nodes of a graph as Fruchterman and Reingold do: all repel each other, edges pull, and
// less heat moves them less. Nodes without an edge stand in rows below.
const ROW = 48;
const APART = 130;

export function settle(nodes, edges, width, height) {
  const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const alone = nodes.filter((node) => !linked.has(node.name));
  const columns = Math.max(1, Math.floor(width / APART));
  const rows = linked.size ? Math.min(5, Math.ceil(alone.length / columns)) : Math.ceil(alone.length / columns);
  const room = height - rows * ROW;
  const places = springs(nodes.filter((node) => linked.has(node.name)), edges, width, room);
  const wide = Math.max(columns, Math.ceil(alone.length / Math.max(rows, 1)));
  alone.forEach((node, index) => places.set(node.name, { x: ((index % wide) + 0.5) * (width / wide), y: room + Math.floor(index / wide) * ROW + ROW / 4 }));
  return places;
}

function springs(nodes, edges, width, height) {
  const all = nodes.map(({ name }, index) => ({ name, x: width / 2 + Math.cos(index * 2.4) * (40 + index * 6), y: height / 2 + Math.sin(index * 2.4) * (30 + index * 5) }));
  const places = new Map(all.map((place) => [place.name, place]));
  const ideal = Math.min(170, Math.sqrt((width * height) / Math.max(nodes.length, 1)) * 0.8);
  for (let heat = width / 6; heat > 0.5; heat *= nodes.length > 120 ? 0.93 : 0.97) {
    for (const place of all) { place.dx = (width / 2 - place.x) * 0.9; place.dy = (height / 2 - place.y) * 0.9; }
    all.forEach((a, index) => { for (let other = index + 1; other < all.length; other += 1) push(a, all[other], (length) => (ideal * ideal) / length); });
    for (const edge of edges) push(places.get(edge.from), places.get(edge.to), (length) => -(length * length) / ideal);
    for (const place of all) {
      const length = Math.hypot(place.dx, place.dy) || 1;
      place.x += (place.dx / length) * Math.min(length, heat);
      place.y += (place.dy / length) * Math.min(length, heat);
    }
  }
  fit(all, "x", 70, width - 70);
  fit(all, "y", 24, height - 34);
  return places;
}

function push(a, b, force) {
  const [dx, dy] = [a.x - b.x || 0.01, a.y - b.y || 0.01];
  const length = Math.hypot(dx, dy);
  const scale = force(length) / length;
  a.dx += dx * scale;
  a.dy += dy * scale;
  b.dx -= dx * scale;
  b.dy -= dy * scale;
}

function fit(places, axis, low, high) {
  const values = places.map((place) => place[axis]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  for (const place of places) place[axis] = most > least ? low + ((place[axis] - least) / (most - least)) * (high - low) : (low + high) / 2;
}
