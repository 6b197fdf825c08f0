#include "viewer/layers/volume/look_texture.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace skde::view {
namespace {

constexpr float kMostOpacity = 0.9999F;
constexpr float kLeastExtinction = 1e-6F;  // invisible through any number of layers

/// Returns how much the light of a layer changes between two texels of colour and opacity.
float change_between(glm::vec4 from, glm::vec4 to) {
  const glm::vec3 light = glm::abs(to.a * glm::vec3(to) - from.a * glm::vec3(from));
  return std::max({light.r, light.g, light.b, std::abs(to.a - from.a)});
}

}  // namespace

glm::vec4 color_at(const std::vector<glm::vec4>& colors, double share) {
  const double position = share * static_cast<double>(colors.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(position), colors.size() - 2);
  return glm::mix(colors[i], colors[i + 1], static_cast<float>(position - static_cast<double>(i)));
}

void LookTexture::update(const VolumeLook& look) {
  axis_ = look.axis;
  if (look.colors == colors_) return;
  colors_ = look.colors;
  std::vector<glm::vec4> texels(kTexels);
  std::vector<glm::vec2> before(kTexels + 1, glm::vec2(0));
  glm::vec4 last = color_at(colors_, 0);
  for (std::size_t i = 0; i < kTexels; ++i) {
    glm::vec4& texel = texels[i];
    texel = color_at(colors_, static_cast<double>(i) / (kTexels - 1));
    const float change = change_between(last, texel);
    last = texel;
    texel.a = -std::log2(1 - std::clamp(texel.a, 0.0F, kMostOpacity));
    before[i + 1] = before[i] + glm::vec2(texel.a > kLeastExtinction ? 1 : 0, change);
  }
  glTextureSubImage1D(texture_.id(), 0, 0, kTexels, GL_RGBA, GL_FLOAT, texels.data());
  sums_before_.assign(std::span<const glm::vec2>(before));
}

void LookTexture::set_axis(const gl::ShaderProgram& program, double unit) const {
  // The ends of the axis are the centres of the first and the last texel.
  constexpr double kSpan = (kTexels - 1.0) / kTexels, kStart = 0.5 / kTexels;
  const auto measure = [this](double v) { return axis_.logarithmic ? std::log2(v) : v; };
  const double low = measure(axis_.low / unit), high = measure(axis_.high / unit);
  const double scale = kSpan / (high - low);
  program.set("axis_scale", static_cast<float>(scale));
  program.set("axis_start", static_cast<float>(kStart - low * scale));
  program.set("axis_logarithmic", axis_.logarithmic ? 1 : 0);
}

}  // namespace skde::view
