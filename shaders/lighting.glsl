uniform vec3 light;  // direction to the light

/// Returns the factor of a colour and what is added to it, by the Blinn-Phong model with both sides
/// of a surface alike. `direction` is that of the view.
vec2 light_of(vec3 normal, vec3 direction) {
  normal = faceforward(normal, direction, normal);
  float diffuse = max(dot(normal, light), 0.0);
  float highlight = pow(max(dot(normal, normalize(light - direction)), 0.0), 40.0);
  return vec2(0.45 + 0.62 * diffuse, 0.16 * highlight);
}

vec3 lit(vec3 color, vec2 shine) { return min(color * shine.x + shine.y, vec3(1)); }

vec3 lit(vec3 color, vec3 normal, vec3 direction) { return lit(color, light_of(normal, direction)); }
