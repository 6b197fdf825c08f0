// Composites nested, translucent surfaces of several density values. Include surface.glsl first, and
// define kEnough, the transmitted share below which no difference is visible.
uniform vec4 levels;  // ascending; unused ones are larger than all values
// Colour and opacity of each surface, as seen at a right angle.
uniform vec4 surface_colors[4];

const float kLeastSlant = 0.2;

/// Returns how many of the surfaces enclose a place of this value.
int surfaces_around(float value) {
  bvec4 inside = greaterThanEqual(vec4(value), levels);
  return int(dot(vec4(inside), vec4(1)));
}

/// Composites a surface behind those before it. A thin layer is more opaque where it is seen at a
/// slant.
void add_surface(vec3 surface, vec4 shade, inout vec3 color, inout float behind) {
  vec3 normal = normal_at(surface);
  float slant = max(abs(dot(normal, direction)), kLeastSlant);
  float through = pow(1.0 - shade.a, 1.0 / slant);
  color += behind * (1.0 - through) * lit(shade.rgb, normal, direction);
  behind *= through;
}

/// Composites the surfaces within the step before `place`, from the value `before` to `after`.
void add_crossed(vec3 place, float before, float after, inout vec3 color, inout float behind) {
  int now = surfaces_around(after);
  for (int around = surfaces_around(before); around != now && behind > kEnough;
       around += now > around ? 1 : -1) {
    int level = now > around ? around : around - 1;
    add_surface(refined(place, levels[level], before, after), surface_colors[level], color, behind);
  }
}
