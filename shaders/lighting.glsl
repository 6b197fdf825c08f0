uniform vec3 light;  // direction to the light

/// The Blinn-Phong model, with both sides of a surface alike. `direction` is that of the view.
vec3 lit(vec3 color, vec3 normal, vec3 direction) {
  normal = faceforward(normal, direction, normal);
  float diffuse = max(dot(normal, light), 0.0);
  float highlight = pow(max(dot(normal, normalize(light - direction)), 0.0), 40.0);
  return min(color * (0.45 + 0.62 * diffuse) + 0.16 * highlight, vec3(1));
}
