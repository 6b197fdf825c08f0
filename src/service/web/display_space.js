// Maps the coordinates of the cloud to those of the scene, whose longest side is 1. Axes of
// different units (degrees and kilometres) get sides of equal length; depths may point downwards.
// The mapping belongs to the cloud, not to a volume: the view stays still while the box grows with
// the bandwidth.

const UNLIKE = 4;

export class DisplaySpace {
  constructor(bounds, shape, flip, names) {
    const sides = bounds.upper.map((upper, axis) => Math.max(upper - bounds.lower[axis], Number.MIN_VALUE));
    const longest = Math.max(...sides);
    const equal = shape === 'cube' || (shape === 'auto' && longest / Math.min(...sides) > UNLIKE);
    this.flipped = flip === 'auto' ? /^depth/i.test(names[2] || '') : flip === 'down';
    this.centre = bounds.lower.map((lower, axis) => (lower + bounds.upper[axis]) / 2);
    this.scale = sides.map((side) => 1 / (equal ? side : longest));
    if (this.flipped) this.scale[2] *= -1;
  }

  to(point) {
    return point.map((value, axis) => (value - this.centre[axis]) * this.scale[axis]);
  }
}
