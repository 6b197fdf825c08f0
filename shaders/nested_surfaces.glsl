// Composites nested, translucent surfaces of several density values. Where a face of the shown part cuts
// the body inside a surface, the cut is filled. Include surface.glsl first, and define kEnough, the
// transmitted share below which no difference is visible, and kRun and next_seen() as in ray_march.glsl.
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

/// Fills the cut at the ray's first sample or at its end, with the colour of the innermost of the
/// surfaces around it. It is opaque, as the section of a body is.
void add_cut(bool last, int around, inout vec3 color, inout float behind) {
  vec3 normal = around > 0 ? cut_normal(last) : vec3(0);
  if (normal == vec3(0)) return;
  color += behind * lit(surface_colors[around - 1].rgb, normal, direction);
  behind = 0.0;
}

/// Returns colour and opacity of a ray whose ends are samples.
vec4 marched_surfaces() {
  vec3 color = vec3(0);
  float behind = 1.0;  // share of the background's light that is still transmitted
  int k = 0;
  float value = value_at(first);  // of sample k
  bool entered = surfaces_around(value) > 0;
  add_cut(false, surfaces_around(value), color, behind);
  while (k < samples && behind > kEnough) {
    int seen = next_seen(k);
    if (seen > k) {
      // A surface may be just before the first sample in a brick.
      k = seen - 1;
      value = value_at(first + float(k) * stride);
    }
    vec3 place = first + float(k) * stride;
    for (int i = 1; i <= kRun && k + i <= samples; ++i) {
      place += stride;
      float next = value_at(place);
      add_crossed(place, value, next, color, behind);
      value = next;
    }
    k += kRun;
  }
  entered = entered || behind < 1.0;
  if (entered && behind > kEnough)
    add_cut(true, surfaces_around(value_at(first + float(samples) * stride)), color, behind);
  return vec4(color, 1.0 - behind);
}
