#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/space/volume.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/scene/volume_view.hpp"

namespace skde::test {

/// Returns a volume of f(centre of each cell).
inline Volume volume_of(const Grid& grid, const std::function<double(Vec3)>& f) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (std::int64_t k = 0; k < grid.dims[2]; ++k)
    for (std::int64_t j = 0; j < grid.dims[1]; ++j)
      for (std::int64_t i = 0; i < grid.dims[0]; ++i)
        values.push_back(static_cast<float>(f(grid.centre(i, j, k))));
  return {grid, std::move(values)};
}

/// Returns values over many decades, some of them 0.
inline Volume random_volume(const Grid& grid) {
  std::uint64_t cell = 0;
  return volume_of(grid, [&](Vec3) {
    const double u = static_cast<double>((++cell * 0x9E3779B97F4A7C15U) >> 11) * 0x1p-53;
    return u < 0.2 ? 0.0 : std::pow(10.0, -9 * u) * 3;
  });
}

/// Returns a white look whose opacity rises linearly from 0 to `opacity` over 0..high.
inline view::VolumeLook white_look(double high, float opacity) {
  view::VolumeLook look;
  look.axis = {0, high, false};
  look.colors = {{1, 1, 1, 0}, {1, 1, 1, opacity}};
  return look;
}

/// Options for the volume alone, on black.
inline view::VolumeViewOptions bare_options() {
  view::VolumeViewOptions options;
  options.box = options.axes = false;
  options.background = {0, 0, 0};
  return options;
}

inline Picture draw(view::VolumeView& view, const view::Camera& camera,
                    const view::VolumeLook& look, const view::VolumeViewOptions& options,
                    glm::ivec2 size) {
  const view::gl::Framebuffer target(size);
  view.draw(target, camera, look, options);
  return view::gl::read_picture(target);
}

/// Returns the colour, 0..255, of a surface by the Blinn-Phong model, as lighting.glsl has it; or
/// that within a cloud, as shading.glsl has it.
inline glm::dvec3 lit(glm::dvec3 color, glm::dvec3 normal, glm::dvec3 direction,
                      const view::Perspective& seen_by, bool in_cloud = false) {
  const glm::dvec3 light =
      glm::normalize(-seen_by.forward() + 0.55 * seen_by.up() - 0.35 * seen_by.right());
  if (glm::dot(normal, direction) > 0) normal = -normal;
  const double diffuse = std::max(glm::dot(normal, light), 0.0);
  const double along = std::max(glm::dot(normal, glm::normalize(light - direction)), 0.0);
  const double factor = 0.45 + 0.62 * diffuse;
  const glm::dvec3 bright =
      color * (in_cloud ? 0.2 + 1.1 * factor : factor) + 0.16 * std::pow(along, 40.0);
  return 255.0 * glm::min(bright, glm::dvec3(1));
}

/// Returns the greatest difference of a channel between two pictures of the same size.
inline int greatest_difference(const Picture& a, const Picture& b) {
  int greatest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    for (std::size_t channel = 0; channel < 3; ++channel)
      greatest = std::max(greatest, std::abs(a.pixels[i][channel] - b.pixels[i][channel]));
  return greatest;
}

/// Mean position and second moments of weights in the plane; y grows downwards.
struct PlaneMoments {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

  void add(double w, double px, double py) {
    weight += w;
    x += w * px;
    y += w * py;
    xx += w * px * px;
    xy += w * px * py;
    yy += w * py * py;
  }
  /// Converts sums to means about the mean position.
  PlaneMoments central() const {
    const double mx = x / weight, my = y / weight;
    return {weight, mx, my, xx / weight - mx * mx, xy / weight - mx * my, yy / weight - my * my};
  }
};

}  // namespace skde::test
