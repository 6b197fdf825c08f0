#version 450 core
// Puts a quad around the picture of an ellipsoid: the points centre + arms u with |u| = 1. Its
// bounds are those of the dual quadric (Sigg, Weyrich, Botsch and Gross, GPU-based ray-casting of
// quadratic surfaces, 2006), relative to the picture of the centre, where float keeps its digits.

#include "clip.glsl"

layout(location = 0) in vec3 centre;
layout(location = 1) in vec3 instance_color;
layout(location = 2) in vec3 first_arm;
layout(location = 3) in vec3 second_arm;
layout(location = 4) in vec3 third_arm;

uniform mat4 transform;
uniform vec2 viewport;  // in pixels
uniform vec3 eye, forward;
uniform vec3 across, upwards;  // half the width and height of the picture at distance 1

flat out vec3 color;
flat out mat3 to_ball;  // times a vector from the left: in the frame where |u| = 1 is a ball
flat out vec3 origin;   // the eye there
noperspective out vec3 through;  // from the eye to the pixel, 1 along forward

const vec2 kCorners[6] =
    vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));

/// Returns the least and greatest offset from the centre. `arms` holds how they move the clip
/// coordinate, `depths` how they move its divisor, whose square at the centre is `square` larger
/// than that of `depths`.
vec2 offsets(vec3 arms, vec3 depths, float square) {
  float middle = -dot(arms, depths), root = sqrt(middle * middle + square * dot(arms, arms));
  return vec2(middle - root, middle + root) / square;
}

void main() {
  mat3 arms = mat3(first_arm, second_arm, third_arm);
  color = instance_color;
  to_ball = mat3(first_arm / dot(first_arm, first_arm), second_arm / dot(second_arm, second_arm),
                 third_arm / dot(third_arm, third_arm));
  origin = (eye - centre) * to_ball;

  vec4 middle = transform * vec4(centre, 1);
  mat3x4 moves = mat3x4(transform * vec4(first_arm, 0), transform * vec4(second_arm, 0),
                        transform * vec4(third_arm, 0));
  vec3 depths = vec3(moves[0].w, moves[1].w, moves[2].w);
  float square = middle.w * middle.w - dot(depths, depths);
  vec2 corner = kCorners[gl_VertexID];
  gl_Position = vec4(corner, 0, 1);  // the whole picture, if the ellipsoid reaches the eye's plane
  if (middle.w <= 0 && square > 0) gl_Position = vec4(0, 0, 2, 1);  // behind the eye
  if (middle.w > 0 && square > 1e-6 * middle.w * middle.w) {
    vec2 at = middle.xy / middle.w;
    vec3 x = vec3(moves[0].x, moves[1].x, moves[2].x) - at.x * depths;
    vec3 y = vec3(moves[0].y, moves[1].y, moves[2].y) - at.y * depths;
    vec2 across_by = offsets(x, depths, square), up_by = offsets(y, depths, square);
    vec2 margin = 2 * corner / viewport;  // a pixel, for the anti-aliased edge
    gl_Position.xy = at + margin + vec2(corner.x < 0 ? across_by.x : across_by.y,
                                        corner.y < 0 ? up_by.x : up_by.y);
  }
  if (!is_kept(centre)) gl_Position = vec4(0, 0, 2, 1);
  through = forward + gl_Position.x * across + gl_Position.y * upwards;
}
