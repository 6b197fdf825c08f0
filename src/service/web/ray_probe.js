// Reads the volume: the density at a place, and the place that the view shows at a pixel, by the
// rule of shaders/probe.comp. Places in the volume are shares of its box.

/// Returns the trilinear value at a place, as the graphics card filters it.
export function valueIn({ values, dims }, place) {
  const strides = [1, dims[0], dims[0] * dims[1]];
  let weights = [[0, 1]];
  for (let axis = 0; axis < 3; ++axis) {
    const cell = Math.min(Math.max(place[axis] * dims[axis] - 0.5, 0), dims[axis] - 1);
    const low = Math.min(Math.floor(cell), Math.max(dims[axis] - 2, 0));
    const part = cell - low;
    weights = weights.flatMap(([at, weight]) => {
      const first = [at + low * strides[axis], weight * (1 - part)];
      return part > 0 ? [first, [at + (low + 1) * strides[axis], weight * part]] : [first];
    });
  }
  return weights.reduce((sum, [at, weight]) => sum + weight * values[at], 0);
}

export const shareIn = ({ lower, upper }, place) => place.map((value, axis) => (value - lower[axis]) / (upper[axis] - lower[axis]));
export const worldOf = ({ lower, upper }, share) => share.map((value, axis) => lower[axis] + value * (upper[axis] - lower[axis]));

/// Returns the ray of a pixel of the view as its start and its direction in shares of the box.
function rayThrough(volume, space, { eye, forward, right, up, half }, [x, y], { width, height }) {
  const [across, upwards] = [(2 * x) / width - 1, 1 - (2 * y) / height];
  const through = forward.map((part, i) => part + across * half[0] * right[i] + upwards * half[1] * up[i]);
  const world = (point) => point.map((value, axis) => value / space.scale[axis] + space.centre[axis]);
  const start = shareIn(volume, world(eye));
  const ahead = shareIn(volume, world(eye.map((part, i) => part + through[i])));
  return { start, direction: ahead.map((part, i) => part - start[i]) };
}

/// Returns where a ray is within the clip box: its least and greatest parameter.
function within({ start, direction }, clip, near) {
  let [begin, end] = [near, Infinity];
  for (let axis = 0; axis < 3; ++axis) {
    const ends = [clip[axis], clip[axis + 3]].map((face) => (face - start[axis]) / (direction[axis] || 1e-12));
    begin = Math.max(begin, Math.min(...ends));
    end = Math.min(end, Math.max(...ends));
  }
  return [begin, end];
}

const along = ({ start, direction }, at) => start.map((part, axis) => part + at * direction[axis]);

function onSlices(ray, { cells, clip, volume }, begin, end) {
  const inside = (place, across) => place.every((share, axis) => axis === across || (share >= clip[axis] && share <= clip[axis + 3]));
  const hits = [0, 1, 2].flatMap((across) => {
    const at = ((cells[across] + 0.5) / volume.dims[across] - ray.start[across]) / ray.direction[across];
    return at >= begin && at <= end && inside(along(ray, at), across) ? [at] : [];
  });
  return hits.length ? along(ray, Math.min(...hits)) : null;
}

/// Returns the place, as shares of the box, that a look (see Scene.setLook) shows at a pixel of the
/// view; null if there is none. It is the place on the nearest slice or on the outermost surface, or
/// else where the density along the ray is greatest.
export function placeAt(look, frame, pixel, size) {
  const { volume, space, mode, clip, levels } = look;
  const ray = rayThrough(volume, space, frame, pixel, size);
  const [begin, end] = within(ray, clip, frame.near);
  if (!(end > begin)) return null;
  if (mode === 'slices') return onSlices(ray, look, begin, end);
  const level = mode === 'surfaces' ? Math.min(...levels) : NaN;
  const cells = Math.hypot(...ray.direction.map((part, axis) => part * volume.dims[axis])) * (end - begin);
  const steps = Math.max(1, Math.ceil(cells));
  const step = (end - begin) / steps;
  let before = valueIn(volume, along(ray, begin));
  if (mode === 'surfaces' && begin > frame.near && before > level) return along(ray, begin);  // a cut
  let [greatest, found] = [0, null];
  for (let k = 0; k <= steps; ++k) {
    const at = begin + k * step;
    const value = valueIn(volume, along(ray, at));
    if (mode === 'surfaces') {
      if (value >= level !== before >= level) return along(ray, at - (step * (value - level)) / (value - before));
    } else if (value > greatest) {
      [greatest, found] = [value, along(ray, at)];
    }
    before = value;
  }
  return found;
}
