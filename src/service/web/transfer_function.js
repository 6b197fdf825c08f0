// Colours and opacities over an axis of densities: the rules of
// viewer/layers/volume/transfer_function.cpp, with which a test compares them.

/// The name of opacities that are those of opacitiesByMass(), anew for every density.
export const BY_MASS = 'by mass';
const DECADES = 1e4;
/// Parts of the mass between two regions (shares of the mass in the box; 0 is the peak), and the
/// optical depth that each has on average over all rays through the box.
const SHELLS = [[0.97, 0.75, 0.04], [0.75, 0.3, 0.07], [0.3, 0, 0.12]];
const RIDGES = [[0.95, 0.05], [0.75, 0.08], [0.5, 0.12]];  // faint surfaces: share of the mass, opacity above the haze
const RIDGE = 0.012;  // their half width, on the axis
/// The masses whose regions opacitiesByMass() needs; the last three are those of faint surfaces.
export const shellMasses = (inBox) => [...SHELLS.map(([from]) => from * inBox), ...RIDGES.map(([share]) => share)];
const RAY_LAYERS = 38;  // of a ray through the box on average, each a hundredth of its diagonal
const [FAINT, DENSE] = [0.003, 0.95];
const STEP = 1e-3;  // least distance of positions

/// Returns the axis for values up to the peak: from 0, or the four decades below the peak.
export function axisUpTo(peak, logarithmic) {
  const high = peak / DECADES >= 2 ** -1022 && peak < Infinity ? peak : 1;
  return { low: logarithmic ? high / DECADES : 0, high, logarithmic };
}

/// Returns 0 at the low end of the axis and 1 at the high end, limited to these.
export function shareOf({ low, high, logarithmic }, value) {
  if (logarithmic && !(value > low)) return 0;
  const share = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(share, 0), 1);
}

export function valueAt({ low, high, logarithmic }, share) {
  return logarithmic ? low * (high / low) ** share : low + share * (high - low);
}

/// Returns the part of the whole axis between two shares of it.
export function partOf(axis, low, high) {
  return { ...axis, low: valueAt(axis, low), high: valueAt(axis, Math.max(high, low + 1e-3)) };
}

/// Returns control points that show haze and core of any density; the rule is that of
/// viewer/layers/volume/transfer_function.cpp. `regions`: level and volume of the regions of shellMasses();
/// `boxVolume` is in the same unit.
export function opacitiesByMass(regions, axis, boxVolume) {
  const points = [[0, 0]];
  const add = (position, opacity) => {
    if (position < 1 - STEP) points.push([Math.max(position, points.at(-1)[0] + STEP), opacity]);
  };
  const peak = { level: axis.high, volume: 0 };
  let opacity = FAINT;
  SHELLS.forEach(([, , depth], i) => {
    const [outer, inner] = [regions[i], SHELLS[i + 1] && regions[i + 1]].map((region) => (region?.level ? region : peak));
    const filled = Math.max(outer.volume - inner.volume, 0) / boxVolume;
    const dimmed = -Math.expm1(-depth / Math.max(RAY_LAYERS * filled, 1e-9));
    opacity = Math.min(Math.max(dimmed, opacity), DENSE);
    const [low, high] = [shareOf(axis, outer.level), shareOf(axis, inner.level)];
    if (points.length === 1) add(low, 0);
    add((low + high) / 2, opacity);
  });
  const line = [...points, [1, opacity]];
  return RIDGES.reduce(({ raised, free }, [, height], i) => {
    const middle = shareOf(axis, regions[SHELLS.length + i].level ?? axis.low);
    const [low, high] = [middle - RIDGE, middle + RIDGE];
    if (low < free + STEP || high > 1 - STEP) return { raised, free };
    const clear = raised.filter(([place]) => place <= low - STEP || place >= high + STEP);
    const ridge = [low, middle, high].map((place) => [place, Math.min(opacityAt(line, place) + (place === middle ? height : 0), 1)]);
    return { raised: [...clear, ...ridge].sort(([a], [b]) => a - b), free: high };
  }, { raised: line, free: line[1][0] }).raised;
}

/// Returns the opacity between control points, without the factor of the view.
export function opacityAt(points, position) {
  const at = Math.min(Math.max(position, 0), 1);
  let right = points.findIndex(([place], i) => i > 0 && place >= at);
  if (right < 0) right = points.length - 1;
  const [[from, low], [to, high]] = [points[right - 1], points[right]];
  return to > from ? low + ((high - low) * (at - from)) / (to - from) : high;
}

/// Returns the preset for an axis of this kind: "soft" has one form for each.
export function presetFor(preset, logarithmic) {
  if (preset === 'soft linear' && logarithmic) return 'soft';
  return preset === 'soft' && !logarithmic ? 'soft linear' : preset;
}
