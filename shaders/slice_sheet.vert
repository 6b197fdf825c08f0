#version 450 core
// Draws a slice of a sample as one instance of ten parts, each of two triangles: the full slice,
// its four edges, the cropped range, and its four edges. A single instance keeps the order in which
// sheets cover each other.
#include "thick_segment.glsl"

struct Slice {
  ivec4 range;  // cells [x, z) along x and [y, w) along y that the crop keeps
  ivec4 place;  // index of the slice in the grid, its first row, 0, 0
};
layout(std430, binding = 0) readonly buffer Slices { Slice slices[]; };

uniform mat4 to_clip;  // from cells; cell (i, j, k) is [i, i + 1) x [j, j + 1) x [k, k + 1)
uniform vec2 viewport;      // in pixels
uniform vec2 slice_cells;   // of a full slice
uniform int first_slice;    // slice of the first instance
uniform int slice_step;     // step to the next instance: 1 or -1
uniform int current_slice;
uniform float full_share;   // 0: full slices are hidden
uniform float line_scale;   // pixels of a line of width 1

out vec2 cell;
noperspective out float pixels_aside;
flat out ivec4 range;
flat out int first_row;
flat out int is_current;
flat out int part;
flat out float half_width;

const int kFull = 0, kFullEdges = 1, kRange = 5, kRangeEdges = 6;

vec2 corner_of(vec4 rectangle, int index) {
  bool right = index == 1 || index == 2 || index == 4, upper = index == 2 || index == 4 || index == 5;
  return vec2(right ? rectangle.z : rectangle.x, upper ? rectangle.w : rectangle.y);
}

void main() {
  int slice = first_slice + slice_step * gl_InstanceID;
  range = slices[slice].range;
  first_row = slices[slice].place.y;
  is_current = int(slice == current_slice);
  part = gl_VertexID / 6;
  int corner = gl_VertexID % 6;
  vec4 rectangle = part < kRange ? vec4(0, 0, slice_cells) : vec4(range);
  float z = float(slices[slice].place.x) + 0.5;
  half_width = 0;
  pixels_aside = 0;
  cell = vec2(0);
  gl_Position = vec4(0, 0, 2, 1);
  if (part < kRange && full_share <= 0) return;
  if (part >= kRange && (range.x >= range.z || range.y >= range.w)) return;
  if (part == kFull || part == kRange) {
    cell = corner_of(rectangle, corner);
    gl_Position = to_clip * vec4(cell, z, 1);
    return;
  }
  const int ring[5] = int[](0, 1, 2, 5, 0);
  int edge = part - (part < kRange ? kFullEdges : kRangeEdges);
  half_width = 0.5 * line_scale * (is_current != 0 ? 2.0 : 1.2);
  vec4 a = to_clip * vec4(corner_of(rectangle, ring[edge]), z, 1);
  vec4 b = to_clip * vec4(corner_of(rectangle, ring[edge + 1]), z, 1);
  gl_Position = strip_corner(corner, a, b, half_width, viewport, pixels_aside);
}
