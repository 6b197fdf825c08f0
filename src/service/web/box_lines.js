// The edges of the box and the ticks of its axes, by the rule of viewer/layers/space/scene_overlay.cpp.

import { dot, sum, unit } from './camera.js';
import { chooseTicks } from './number_text.js';

const INTERVALS = 5;
const [TICK, GAP, WIDTH] = [6, 3, 1.2];  // pixels
const BEHIND = 0.6;      // opacity of edges behind the volume
const TIE = 0.01;        // pixels; smaller differences are rounding and must not move ticks
const CAPTIONS = [0, 0.2, -0.2, 0.4, -0.4, 0.6, -0.6, 0.8, -0.8, 1, -1];  // shares of half an edge

/// Returns twelve edges: their axis, the signs of the other two, and whether the faces there are seen.
function edgesOf(half, eye) {
  return [0, 1, 2].flatMap((axis) => [[-1, -1], [-1, 1], [1, -1], [1, 1]].map((signs) => {
    const others = [(axis + 1) % 3, (axis + 2) % 3];
    const seen = others.map((other, i) => signs[i] * eye[other] > half[other]);
    const out = [0, 0, 0];  // away from the visible face, in its plane
    out[others[seen[0] ? 1 : 0]] = signs[seen[0] ? 1 : 0];
    const at = (along) => [0, 1, 2].map((i) => (i === axis ? along : signs[others.indexOf(i)] * half[i]));
    return { axis, seen, out, at };
  }));
}

/// Returns the outline's edge for the ticks of an axis: the lowest, or for z the leftmost.
function tickedEdge(edges, axis, project) {
  let [best, most] = [null, 0];
  for (const edge of edges.filter((one) => one.axis === axis && one.seen[0] !== one.seen[1])) {
    const pixel = project(edge.at(0));
    const place = pixel && (axis === 2 ? -pixel[0] : pixel[1]);
    if (pixel && (!best || place > most + TIE)) [best, most] = [edge, place];
  }
  return best;
}

/// Returns where a text beside a place of an edge begins, and the way from the edge on the screen.
function besideOf({ axis, out, at }, along, project) {
  const towards = (way) => {
    const [from, to] = [project(at(along)), project(sum(at(along), way, 0.01))];
    return from && to && unit(to.map((value, i) => value - from[i]));
  };
  const [outwards, line] = [towards(out), towards([0, 1, 2].map((i) => Number(i === axis)))];
  if (!outwards || !line) return null;
  const aside = [-line[1], line[0]];
  const away = aside[0] * outwards[0] + aside[1] * outwards[1] < 0 ? aside.map((part) => -part) : aside;
  return { away, pixel: project(at(along)).map((value, i) => value + outwards[i] * TICK + away[i] * GAP) };
}

/// Returns the lines behind and before a volume in the scene, and for each axis its ticks with the places
/// of their labels and of its caption. `project` turns places of the scene into pixels, `frame` is the
/// camera's, `height` that of the view.
export function boxLines(box, space, frame, project, height) {
  const corners = [box.lower, box.upper].map((corner) => space.to(corner));
  const centre = corners[0].map((value, axis) => (value + corners[1][axis]) / 2);
  const half = corners[0].map((value, axis) => Math.abs(corners[1][axis] - value) / 2);
  const placed = (place) => project(sum(place, centre));
  const edges = edgesOf(half, sum(frame.eye, centre, -1));
  const lines = { behind: [], before: [], axes: [] };
  const add = (from, to, isBehind) => lines[isBehind ? 'behind' : 'before'].push(
    { line_from: sum(from, centre), line_to: sum(to, centre), line_width: WIDTH, opacity: isBehind ? BEHIND : 1 });
  for (const { axis, seen, at } of edges) add(at(-half[axis]), at(half[axis]), !seen[0] && !seen[1]);
  for (let axis = 0; axis < 3; ++axis) {
    const edge = tickedEdge(edges, axis, placed);
    if (!edge) continue;
    const ticks = chooseTicks(box.lower[axis], box.upper[axis], INTERVALS);
    const labels = ticks.positions.map((value) => {
      const along = (value - space.centre[axis]) * space.scale[axis] - centre[axis], from = edge.at(along);
      const pixel = (2 * frame.half[1] * dot(sum(sum(from, centre), frame.eye, -1), frame.forward)) / height;
      if (placed(from)) add(from, sum(from, edge.out, TICK * pixel), false);
      return besideOf(edge, along, placed);
    });
    lines.axes.push({ axis, ticks, labels, captions: CAPTIONS.map((share) => besideOf(edge, share * half[axis], placed)) });
  }
  return lines;
}
