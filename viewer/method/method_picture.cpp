#include "viewer/method/method_picture.hpp"

#include <algorithm>
#include <cmath>

#include "viewer/method/face_shapes.hpp"
#include "viewer/method/method_geometry.hpp"
#include "viewer/method/method_key.hpp"
#include "viewer/method/method_readout.hpp"
#include "viewer/method/step_shapes.hpp"

namespace skde::view {
namespace {

constexpr int kCaptionLine = 18, kCaptionMargin = 5;  // of captions, in pixels at scale 1
constexpr int kCaptionHeight = 2 * kCaptionLine + kCaptionMargin;

/// Returns part `index` of a region that is cut into columns and rows.
PixelRegion tile(const PixelRegion& region, int columns, int rows, int index) {
  const glm::ivec2 count(columns, rows), at(index % columns, index / columns);
  const glm::ivec2 from = region.size * at / count, to = region.size * (at + 1) / count;
  return {region.corner + from, to - from};
}

int scaled_caption(float scale) { return static_cast<int>(std::lround(scale * kCaptionHeight)); }

void draw_caption(MethodPicture& to, const PixelRegion& part, const MethodCaption& caption,
                  const MethodLook& look, float scale) {
  const glm::vec2 corner = glm::vec2(part.corner) + scale * static_cast<float>(kCaptionMargin);
  const int margin = static_cast<int>(std::lround(scale * kCaptionMargin));
  const PixelRegion room{part.corner, part.size - glm::ivec2(std::min(margin, part.size.x), 0)};
  const glm::vec4 ink(look.theme().ink, 1), quiet(look.theme().quiet, 1);
  to.labels.push_back({.text = caption.title,
                       .place = {corner, {0, 0}},
                       .color = ink,
                       .shorter = {caption.short_title},
                       .room = room});
  to.labels.push_back({.text = caption.counts.front(),
                       .place = {corner + glm::vec2(0, scale * kCaptionLine), {0, 0}},
                       .color = glm::mix(quiet, ink, 0.5F),
                       .shorter = {caption.counts.begin() + 1, caption.counts.end()},
                       .room = room});
}

}  // namespace

MethodParts method_parts(const PixelRegion& whole, float scale) {
  const int key = key_height(whole.size, scale), caption = scaled_caption(scale);
  const PixelRegion region{whole.corner, whole.size - glm::ivec2(0, key)};
  int columns = 2, best = 0;
  for (const int count : {2, 4, 1}) {
    const int side = std::min(region.size.x / count, region.size.y / (4 / count) - caption);
    if (side <= best) continue;
    best = side;
    columns = count;
  }
  const auto part = [&](int index) { return tile(region, columns, 4 / columns, index); };
  return {{part(0), part(1), part(2)},
          part(3),
          {region.corner + glm::ivec2(0, region.size.y), {region.size.x, key}}};
}

PixelRegion below_caption(const PixelRegion& part, float scale) {
  const int caption = std::min(scaled_caption(scale), part.size.y);
  return {part.corner + glm::ivec2(0, caption), part.size - glm::ivec2(0, caption)};
}

MethodPicture method_picture(const SampleSlices& slices, const PixelRegion& region,
                             const MethodLook& look, float scale) {
  MethodPicture picture;
  RegionPen ground(picture, region, scale);
  ground.rectangle({0, 0}, region.size, glm::vec4(look.theme().ground, 1));
  const MethodParts parts = method_parts(region, scale);
  const auto captions = method_captions(slices, chosen_slice(slices, look));
  for (std::size_t i = 0; i < 3; ++i)
    draw_caption(picture, parts.steps[i], captions[i], look, scale);
  draw_caption(picture, parts.face, captions[3], look, scale);
  for (std::size_t i = 0; i < 3; ++i) {
    RegionPen pen(picture, below_caption(parts.steps[i], scale), scale);
    if (pen.region().size.y > 0) draw_step(pen, static_cast<MethodStep>(i), slices, look);
  }
  RegionPen pen(picture, below_caption(parts.face, scale), scale);
  if (pen.region().size.y > 0) draw_face(pen, slices, look);
  if (parts.key.size.y > 0) {
    RegionPen key(picture, parts.key, scale);
    draw_key(key, slices, look);
  }
  for (SliceLabel& label : picture.labels) label.ground = look.theme().ground;
  return picture;
}

}  // namespace skde::view
