// The camera of the scene: moved by pointer or keys, set along an axis, or written as numbers for
// the address. Pixels are those of the page, from the upper left.

const VIEW_ANGLE = 30;  // degrees, across the shorter side of the view
const ALONG = {
  x: { from: [1, 0, 0], up: [0, 0, 1] },
  y: { from: [0, -1, 0], up: [0, 0, 1] },
  z: { from: [0, 0, 1], up: [0, 1, 0] },
};
const USUAL = [0.4532, -0.7849, 0.4226];  // 60 degrees right of the front and 25 above the horizon, as in skde-view
const Z = [0, 0, 1];
const STEP = 10;
const DEGREES_ACROSS = 200;  // of a drag over the shorter side of the view
const SURROUNDINGS = 2;      // reach of what is drawn about the focus
const [LABELS, LABEL_SHARE] = [46, 0.12];  // room at each side, in pixels, and at most of the width
const [LEAST_DISTANCE, MOST_DISTANCE] = [0.02, 200];

export const sum = (a, b, factor = 1) => a.map((part, i) => part + factor * b[i]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((part) => part / length);
}

/// Returns the direction from which a cloud is first seen: the rule of first_camera() in
/// viewer/layers/space/camera.hpp. `scale`: lengths of the scene per unit of each axis.
export function broadSide(covariance, scale) {
  const seen = covariance?.map((row, i) => row.map((part, j) => part * scale[i] * scale[j]));
  const spread = seen && seen[0][0] + seen[1][1] + seen[2][2];
  if (!(spread > 0)) return USUAL;
  const [x, y, z] = seen.map((row, i) => row.map((part, j) => part / spread + (i === j ? 0.25 : 0)));
  // The inverse by Cramer's rule, but for its length.
  const rows = [cross(y, z), cross(z, x), cross(x, y)];
  const eye = unit(rows.map((row) => dot(row, USUAL)));
  const [around, above] = [Math.atan2(eye[1], eye[0]), Math.asin(eye[2])].map((angle) => (Math.round((angle * 180) / Math.PI) * Math.PI) / 180);
  return [Math.cos(above) * Math.cos(around), Math.cos(above) * Math.sin(around), Math.sin(above)];
}

/// Turns a vector about an axis of length 1 (Rodrigues' formula).
function turned(vector, axis, degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const aside = cross(axis, vector);
  const along = dot(axis, vector) * (1 - cos);
  return vector.map((part, i) => part * cos + aside[i] * sin + axis[i] * along);
}

export class ViewCamera {
  constructor(onMove) {
    Object.assign(this, { onMove, first: USUAL, distance: 3.5 });
    this.look('oblique');
  }

  look(name) {
    const { from, up } = name === 'oblique' ? { from: this.first, up: Z } : ALONG[name];
    this.focus = [0, 0, 0];
    this.eye = unit(from).map((part) => part * this.distance);
    this.up = up.slice();
  }

  /// Sets the distance from which a sphere of this radius and labels beside it fit in a view of this size.
  fit(radius, { width, height }) {
    const free = Math.max(1, width - 2 * Math.min(LABELS, LABEL_SHARE * width));
    this.distance = (radius * Math.max(1, Math.min(width, height) / free)) / Math.sin((VIEW_ANGLE * Math.PI) / 360);
  }

  numbers() {
    return [...this.eye, ...this.focus, ...this.up];
  }

  restore(numbers) {
    const [eye, focus, up] = [0, 3, 6].map((at) => numbers.slice(at, at + 3));
    if (numbers.length !== 9 || !Math.hypot(...cross(sum(eye, focus, -1), up))) return this.look('oblique');
    Object.assign(this, { eye, focus, up });
  }

  /// Returns directions of length 1, and half the width and height of the view at distance 1.
  frame(width, height) {
    const forward = unit(sum(this.focus, this.eye, -1));
    const right = unit(cross(forward, this.up));
    const reach = Math.tan((VIEW_ANGLE * Math.PI) / 360) / Math.max(1, Math.min(width, height));
    const depth = Math.hypot(...this.eye);
    return { eye: this.eye, forward, right, up: cross(right, forward), half: [width * reach, height * reach],
      near: Math.max(0.01, depth - SURROUNDINGS), far: depth + SURROUNDINGS };
  }

  /// Turns about the z axis, so that the horizon stays level.
  azimuth(degrees) {
    this.eye = sum(this.focus, turned(sum(this.eye, this.focus, -1), Z, degrees));
    this.up = turned(this.up, Z, degrees);
  }

  /// Rises above the focus, up to the poles.
  elevation(degrees) {
    const { forward, right, up } = this.frame(1, 1);
    const now = (Math.asin(Math.min(Math.max(-forward[2], -1), 1)) * 180) / Math.PI;
    const wanted = up[2] < 0 ? degrees : Math.min(Math.max(now + degrees, -90), 90) - now;
    this.eye = sum(this.focus, turned(sum(this.eye, this.focus, -1), right, -wanted));
    this.up = turned(up, right, -wanted);
  }

  /// Moves nearer by a factor above 1.
  dolly(factor) {
    const away = sum(this.eye, this.focus, -1);
    const distance = Math.hypot(...away);
    const wanted = Math.min(Math.max(distance / factor, LEAST_DISTANCE), MOST_DISTANCE);
    this.eye = sum(this.focus, away, wanted / distance);
  }

  /// Turns by a drag in pixels.
  drag([x, y], { width, height }) {
    const degrees = DEGREES_ACROSS / Math.max(1, Math.min(width, height));
    this.azimuth(-x * degrees);
    this.elevation(y * degrees);
  }

  /// Moves the focus with the pointer.
  pan([x, y], { width, height }) {
    const { right, up, half } = this.frame(width, height);
    const pixel = (2 * half[1] * Math.hypot(...sum(this.eye, this.focus, -1))) / Math.max(1, height);
    const move = sum(right.map((part) => -x * pixel * part), up, y * pixel);
    this.eye = sum(this.eye, move);
    this.focus = sum(this.focus, move);
  }

  /// Returns whether the key belongs to the view.
  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const moves = {
      ArrowLeft: () => this.azimuth(STEP),
      ArrowRight: () => this.azimuth(-STEP),
      ArrowUp: () => this.elevation(-STEP),
      ArrowDown: () => this.elevation(STEP),
      '+': () => this.dolly(1.1),
      '=': () => this.dolly(1.1),
      '-': () => this.dolly(1 / 1.1),
      Home: () => this.look('oblique'),
      x: () => this.look('x'),
      y: () => this.look('y'),
      z: () => this.look('z'),
    };
    if (!moves[event.key]) return false;
    moves[event.key]();
    this.onMove();
    return true;
  }
}
