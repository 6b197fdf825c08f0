// The kernels, opacities and colour maps of skde, as the service tells them.

import { colourMaps, kernels, opacities } from '/view/look.js';
import { BY_MASS } from './transfer_function.js';

const TABLE = 1024;
const tables = {};

export const KERNELS = kernels;
/// Control points (position on the axis, opacity) of each preset, linear between them.
export const PRESETS = opacities;
export const OPACITIES = [BY_MASS, ...Object.keys(PRESETS)];
/// The maps, and after them the same from end to end.
export const COLOUR_MAPS = Object.keys(colourMaps);

/// Returns r, g, b, each from 0 to 1, at a share from 0 to 1. An unknown map is viridis.
export function mapColour(name, share) {
  const colours = colourMaps[name] ?? colourMaps.viridis;
  const at = (share > 0 ? Math.min(share, 1) : 0) * (colours.length - 1);
  const i = Math.min(Math.floor(at), colours.length - 2);
  return colours[i].map((part, channel) => part + (at - i) * (colours[i + 1][channel] - part));
}

/// Returns TABLE rows of r, g, b, each from 0 to 1.
export function colourTable(name) {
  tables[name] ??= Array.from({ length: TABLE }, (_, i) => mapColour(name, i / (TABLE - 1)));
  return tables[name];
}

export const colourAt = (name, share) => colourTable(name)[Math.round(Math.min(Math.max(share, 0), 1) * (TABLE - 1))];
export const cssColour = (rgb) => `rgb(${rgb.map((value) => Math.round(value * 255)).join(' ')})`;
/// Returns the map that is drawn: see on_ground() in src/pictures/color_map.hpp.
export function onGround(name) {
  if (isDark() || !/^(viridis|magma|cividis|grey|inferno)/.test(name)) return name;
  return name.endsWith('-inverted') ? name.replace('-inverted', '') : `${name}-inverted`;
}

/// Of lines and letters of the volume: those of viewer/layers/space/inks.hpp.
const INKS = { dark: { line: [0.72, 0.74, 0.77], mark: [0.98, 0.59, 0.22] }, light: { line: [0.22, 0.23, 0.25], mark: [0.76, 0.34, 0] } };
export const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
export const inkOf = (name) => INKS[isDark() ? 'dark' : 'light'][name];
