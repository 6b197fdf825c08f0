#version 450 core
// Colours the cells of a slice: inside the kernel, evaluated, and the rest of the slice.
#include "thick_segment.glsl"

// For each row of a range, from the bottom: the cells [x, y) inside the kernel.
layout(std430, binding = 1) readonly buffer Rows { ivec2 rows[]; };

uniform vec3 inside_color, evaluated_color, full_color;
// Opacities of these three and of the edges of a sheet, for the current slice and for the others.
uniform vec4 current_opacity, other_opacity;
uniform float full_share;  // 0..1: visibility of the full slice
uniform float line_scale;

in vec2 cell;
noperspective in float pixels_aside;
flat in ivec4 range;
flat in int first_row;
flat in int is_current;
flat in int part;
flat in float half_width;
out vec4 color;

const int kFull = 0, kRange = 5;

bool is_inside(ivec2 at) {
  if (at.y < range.y || at.y >= range.w) return false;  // by rounding, at the edge of the sheet
  ivec2 row = rows[first_row + at.y - range.y];
  return at.x >= row.x && at.x < row.y;
}

bool is_evaluated(ivec2 at) {
  return at.x >= range.x && at.x < range.z && at.y >= range.y && at.y < range.w;
}

// Returns how much of a pixel the lines between cells cover; they fade if cells are few pixels
// wide.
float grid_lines() {
  vec2 cells_per_pixel = max(fwidth(cell), vec2(1e-6));
  vec2 pixels = abs(fract(cell - 0.5) - 0.5) / cells_per_pixel / line_scale;
  float cover = clamp(1 - min(pixels.x, pixels.y), 0, 1);
  float narrowest = 1 / max(cells_per_pixel.x, cells_per_pixel.y) / line_scale;
  return cover * smoothstep(5, 9, narrowest);
}

void main() {
  vec4 opacity = is_current != 0 ? current_opacity : other_opacity;
  bool of_full = part < kRange;
  float share = of_full ? full_share : 1;
  if (part != kFull && part != kRange) {
    vec3 line = of_full ? full_color * 1.35 : mix(evaluated_color, vec3(1), 0.25);
    color = vec4(line, opacity.w * share * strip_coverage(pixels_aside, half_width));
    return;
  }
  float lines = grid_lines();  // before the branches, as it uses derivatives
  ivec2 at = ivec2(floor(cell));
  if (of_full && is_evaluated(at)) discard;  // shown by the range's own sheet
  bool inside = !of_full && is_inside(at);
  color = of_full ? vec4(full_color, opacity.z * share)
                  : inside ? vec4(inside_color, opacity.x) : vec4(evaluated_color, opacity.y);
  color.rgb *= 1 - 0.38 * lines;
}
