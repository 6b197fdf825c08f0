#version 450 core
// A section of the volume's box across an axis, as two triangles.
uniform mat4 transform;
uniform vec3 box_half;     // negative along flipped axes
uniform int axis;
uniform float layer;       // where the section lies, as a share of the box
uniform float read_layer;  // where its values are read

out vec3 place;  // in texture coordinates
out vec3 scene;

const vec2 kCorners[6] =
    vec2[](vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1));

vec3 in_section(float along) {
  vec2 corner = kCorners[gl_VertexID];
  return axis == 0 ? vec3(along, corner) : axis == 1 ? vec3(corner.x, along, corner.y) : vec3(corner, along);
}

void main() {
  place = in_section(read_layer);
  scene = (2 * in_section(layer) - 1) * box_half;
  gl_Position = transform * vec4(scene, 1);
}
