#include "viewer/ui/label_layout.hpp"

#include <algorithm>
#include <optional>

namespace skde::view::ui {
namespace {

constexpr double kFarthest = 0.35;  // of the picture's diagonal, from a caption to its axis
constexpr int kSteps = 12;  // of half a letter's height that a caption moves away from its axis

class Layout {
 public:
  Layout(std::span<const PixelLine> lines, glm::dvec2 size,
         const std::function<glm::dvec2(const std::string&)>& measure)
      : lines_(lines), size_(size), measure_(measure) {}

  void add(const SceneLabel& label) {
    if (!label.elsewhere.empty()) return add_caption(label);
    const TextBox box = box_of(label, label.pixel, 0);
    if (label.aside == glm::dvec2(0) || is_free(box, true)) placed_.push_back({&label, box});
  }
  std::vector<PlacedLabel> take() { return std::move(placed_); }

 private:
  TextBox box_of(const SceneLabel& label, glm::dvec2 pixel, double farther) const {
    const glm::dvec2 half = 0.5 * measure_(label.text);
    const glm::dvec2 reach = glm::abs(label.aside) * half;
    const glm::dvec2 middle = pixel + label.aside * (reach.x + reach.y + farther);
    return {middle - half, middle + half};
  }

  bool is_free(const TextBox& box, bool beside_ticks) const {
    if (box.lower.x < 0 || box.lower.y < 0 || box.upper.x > size_.x || box.upper.y > size_.y)
      return false;
    if (std::ranges::any_of(lines_, [&](const PixelLine& line) { return box.meets(line); }))
      return false;
    return std::ranges::none_of(placed_, [&](const PlacedLabel& other) {
      return box.meets(other.box) && (beside_ticks || !is_tick(*other.label));
    });
  }
  static bool is_tick(const SceneLabel& label) {
    return label.elsewhere.empty() && label.aside != glm::dvec2(0);
  }

  std::optional<TextBox> free_place(const SceneLabel& label, bool beside_ticks) const {
    const glm::dvec2 tick = glm::abs(label.aside) * measure_(label.beyond);
    const double step = 0.5 * measure_("0").y, begin = tick.x + tick.y + 0.5 * step;
    for (int k = 0; k < kSteps; ++k) {
      const double farther = begin + k * step;
      if (const TextBox box = box_of(label, label.pixel, farther); is_free(box, beside_ticks))
        return box;
      for (const glm::dvec2& pixel : label.elsewhere)
        if (const TextBox box = box_of(label, pixel, farther); is_free(box, beside_ticks))
          return box;
    }
    return std::nullopt;
  }

  /// Anywhere on the picture, if not too far from the axis.
  std::optional<TextBox> nearest_free_place(const SceneLabel& label, bool beside_ticks) const {
    const glm::dvec2 half = 0.5 * measure_(label.text);
    const double step = 0.25 * measure_("0").y;
    std::optional<TextBox> best;
    double nearest = kFarthest * glm::length(size_);
    const glm::ivec2 steps(glm::max((size_ - 2.0 * half) / step, glm::dvec2(-1)));
    for (int j = 0; j <= steps.y; ++j)
      for (int i = 0; i <= steps.x; ++i) {
        const glm::dvec2 middle = half + step * glm::dvec2(i, j);
        const double distance = glm::distance(middle, label.pixel);
        const TextBox box{middle - half, middle + half};
        if (distance >= nearest || glm::dot(middle - label.pixel, label.aside) < 0) continue;
        if (!is_free(box, beside_ticks)) continue;
        best = box;
        nearest = distance;
      }
    return best;
  }

  void add_caption(const SceneLabel& label) {
    std::optional<TextBox> box = free_place(label, true);
    if (!box) box = nearest_free_place(label, true);
    if (!box) box = free_place(label, false);
    if (!box) box = nearest_free_place(label, false);
    if (!box) return;  // a picture of a few letters' size
    std::erase_if(placed_, [&](const PlacedLabel& other) {
      return is_tick(*other.label) && other.box.meets(*box);
    });
    placed_.push_back({&label, *box});
  }

  std::span<const PixelLine> lines_;
  glm::dvec2 size_;
  const std::function<glm::dvec2(const std::string&)>& measure_;
  std::vector<PlacedLabel> placed_;
};

}  // namespace

bool TextBox::meets(const TextBox& other) const {
  return lower.x < other.upper.x && other.lower.x < upper.x && lower.y < other.upper.y &&
         other.lower.y < upper.y;
}

bool TextBox::meets(const PixelLine& line) const {
  // Cuts the line to what lies between the sides, one axis after the other.
  double begin = 0, end = 1;
  const glm::dvec2 way = line[1] - line[0];
  for (int axis = 0; axis < 2; ++axis) {
    if (way[axis] == 0) {
      if (line[0][axis] <= lower[axis] || line[0][axis] >= upper[axis]) return false;
      continue;
    }
    const double a = (lower[axis] - line[0][axis]) / way[axis];
    const double b = (upper[axis] - line[0][axis]) / way[axis];
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
  }
  return begin < end;
}

std::vector<PlacedLabel> place_labels(
    std::span<const SceneLabel> labels, std::span<const PixelLine> lines, glm::dvec2 size,
    const std::function<glm::dvec2(const std::string&)>& measure) {
  Layout layout(lines, size, measure);
  const auto add = [&](bool centred, bool caption) {
    for (const SceneLabel& label : labels)
      if ((label.aside == glm::dvec2(0)) == centred && label.elsewhere.empty() != caption)
        layout.add(label);
  };
  add(true, false);
  add(false, false);
  add(false, true);
  return layout.take();
}

}  // namespace skde::view::ui
