// The colour maps of skde-view: the same anchors and splines as src/pictures/color_map.cpp, with
// which a test compares them.

/// Chroma and hue (degrees) in Oklab's cylindrical form; the lightness grows evenly.
const VIRIDIS = [[0.110, 312], [0.128, 297], [0.126, 278], [0.108, 255], [0.096, 222], [0.108, 184], [0.148, 155],
  [0.178, 127], [0.185, 106]];
const [DARKEST, LIGHTEST] = [0.24, 0.93];
const PUBLISHED = {
  magma: '000004 180f3e 451077 721f81 9f2f7f cd4071 f1605d fd9567 fec98d fcfdbf',
  cividis: '00204d 00336f 39486b 575c6d 707173 8a8779 a69d75 c4b56c e4cf5b ffea46',
  inferno: '000004 0c0826 240c4f 420a68 5d126e 781c6d 932667 ae305c c73e4c dd513a ed6925 f8850f fca50a fac62d f2e661 fcffa4',
  turbo: '30123b 4143a7 4771e9 3e9bfe 22c5e2 1ae4b6 46f884 88ff4e b9f635 e1dd37 faba39 fd8d27 f05b12 d63506 af1801 7a0403',
};
/// Chroma and hue of both ends; lightness and share of the chroma are those of DIVERGING.
const ENDS = { 'blue-red': [[0.14, 255], [0.17, 28]], 'green-purple': [[0.12, 150], [0.15, 310]] };
const DIVERGING = [[0.42, 1], [0.62, 0.95], [0.8, 0.6], [0.93, 0], [0.8, 0.6], [0.62, 0.95], [0.42, 1]];
const TABLE = 1024;

const PLAIN = ['viridis', 'magma', 'cividis', 'grey', 'inferno', 'turbo', 'blue-red', 'green-purple'];
/// The maps, and after them the same from end to end.
export const COLOUR_MAPS = [...PLAIN, ...PLAIN.map((name) => `${name}-inverted`)];

const decode = (srgb) => (srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4);

function encode(linear) {
  const c = Math.min(Math.max(linear, 0), 1);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

function toOklab(hex) {
  const [r, g, b] = [0, 2, 4].map((at) => decode(parseInt(hex.slice(at, at + 2), 16) / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s];
}

function toSrgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  return [encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)];
}

function ofHue(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function makeAnchors(name) {
  if (name === 'viridis') return VIRIDIS.map(([chroma, hue]) => ofHue(0, chroma, hue));

  if (PUBLISHED[name]) return PUBLISHED[name].split(' ').map(toOklab);
  return DIVERGING.map(([lightness, share], i) => {
    const [chroma, hue] = ENDS[name][2 * i < DIVERGING.length ? 0 : 1];
    return ofHue(lightness, share * chroma, hue);
  });
}

/// Returns the Catmull-Rom spline through evenly spaced anchors.
function along(anchors, share) {
  const last = anchors.length - 1;
  const i = Math.min(Math.floor(share * last), last - 1);
  const t = share * last - i;
  const [before, from, to, after] = [Math.max(i - 1, 0), i, i + 1, Math.min(i + 2, last)].map((at) => anchors[at]);
  return from.map((p1, part) => {
    const [p0, p2, p3] = [before[part], to[part], after[part]];
    return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
  });
}

/// Returns r, g, b, each from 0 to 1, at a share from 0 to 1. An unknown map is viridis.
export function mapColour(name, share) {
  const known = COLOUR_MAPS.includes(name) ? name : 'viridis';
  const plain = known.replace('-inverted', '');
  const inside = share > 0 ? Math.min(share, 1) : 0;
  const at = plain === known ? inside : 1 - inside;
  if (plain === 'grey') return toSrgb([at, 0, 0]);
  const colour = along((anchors[plain] ??= makeAnchors(plain)), at);
  if (plain === 'viridis') colour[0] = DARKEST + (LIGHTEST - DARKEST) * at;
  return toSrgb(colour);
}

const anchors = {};
const tables = {};

/// Returns TABLE rows of r, g, b, each from 0 to 1.
export function colourTable(name) {
  tables[name] ??= Array.from({ length: TABLE }, (_, i) => mapColour(name, i / (TABLE - 1)));
  return tables[name];
}

export const colourAt = (name, share) => colourTable(name)[Math.round(Math.min(Math.max(share, 0), 1) * (TABLE - 1))];
export const cssColour = (rgb) => `rgb(${rgb.map((value) => Math.round(value * 255)).join(' ')})`;
export const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
