// Maps the coordinates of the cloud to those of the scene, whose longest side is 1. Axes of
// different units (degrees and kilometres) get sides of equal length, by the rule of skde-view.
// The mapping belongs to the cloud, not to a volume: the view stays still while the box grows with
// the bandwidth.

export const UNLIKE = 12;  // ratio of the longest to the shortest side

export class DisplaySpace {
  /// `flip`: up, down, or auto, as `name` (of z) says: see drawn_flips() of src/pictures/picture_captions.hpp.
  constructor(bounds, shape, flip, name) {
    const extent = bounds.upper.map((upper, axis) => upper - bounds.lower[axis]);
    const longest = Math.max(...extent) || 1;
    const sides = extent.map((side) => side || longest);  // of flat clouds
    const equal = shape === 'cube' || (shape === 'auto' && longest / Math.min(...sides) > UNLIKE);
    const deep = /^dep(th)?$/i.test(name) && bounds.lower[2] + bounds.upper[2] > 0;
    this.flipped = flip === 'down' || (flip === 'auto' && deep);
    this.centre = bounds.lower.map((lower, axis) => (lower + bounds.upper[axis]) / 2);
    this.scale = sides.map((side) => 1 / (equal ? side : longest));
    if (this.flipped) this.scale[2] *= -1;
  }

  /// Returns how many times longer lengths look here than along the least stretched axis.
  stretch(axis) {
    const sizes = this.scale.map(Math.abs);
    return sizes[axis] / Math.min(...sizes);
  }

  to(point) {
    return point.map((value, axis) => (value - this.centre[axis]) * this.scale[axis]);
  }
}
