#include "viewer/ui/label_layout.hpp"

#include <algorithm>
#include <optional>

namespace skde::view::ui {
namespace {

constexpr double kFarthest = 0.35;  // greatest distance of a caption from its axis, as a share of
                                    // the diagonal
constexpr int kSteps = 12;  // steps of a caption away from its axis, each half a letter's height

constexpr double kEdge = 0.2;        // margin at the picture's edges, in letter heights
constexpr double kApart = 0.4;       // least gap between texts of a line, in letter heights
constexpr double kOutOfLine = 0.35;  // greatest vertical overlap of texts not in a line, in letter
                                     // heights

/// Returns true for labels that are always drawn.
bool is_certain(const SceneLabel& label) { return label.certain || label.aside == glm::dvec2(0); }

class Layout {
 public:
  Layout(std::span<const PixelLine> lines, glm::dvec2 size, const TextMeasure& measure)
      : lines_(lines), size_(size), measure_(measure), letter_(measure("0").y) {}

  void add(const SceneLabel& label) {
    if (!label.elsewhere.empty()) return add_caption(label);
    const TextBox box = box_of(label, label.text, label.pixel, 0);
    if (is_certain(label) || is_free(box, true)) placed_.push_back({&label, box, label.text});
  }
  std::vector<PlacedLabel> take() { return std::move(placed_); }

 private:
  TextBox box_of(const SceneLabel& label, const std::string& text, glm::dvec2 pixel,
                 double farther) const {
    const glm::dvec2 half = 0.5 * measure_(text);
    const glm::dvec2 reach = glm::abs(label.aside) * half;
    const glm::dvec2 middle = pixel + label.aside * (reach.x + reach.y + farther);
    return {middle - half, middle + half};
  }

  bool is_free(const TextBox& box, bool beside_ticks) const {
    const double edge = kEdge * letter_;
    if (box.lower.x < edge || box.lower.y < edge || box.upper.x > size_.x - edge ||
        box.upper.y > size_.y - edge)
      return false;
    if (std::ranges::any_of(lines_, [&](const PixelLine& line) { return box.meets(line); }))
      return false;
    return std::ranges::none_of(placed_, [&](const PlacedLabel& other) {
      return collide(box, other.box) && (beside_ticks || !is_tick(*other.label));
    });
  }
  /// Returns true if two texts overlap, or would read as one because they stand in a line.
  bool collide(const TextBox& box, const TextBox& other) const {
    const glm::dvec2 around = letter_ * glm::dvec2(kApart, -kOutOfLine);
    return box.meets(other) || TextBox{box.lower - around, box.upper + around}.meets(other);
  }
  static bool is_tick(const SceneLabel& label) {
    return label.elsewhere.empty() && !is_certain(label);
  }

  std::optional<TextBox> free_place(const SceneLabel& label, const std::string& text,
                                    bool beside_ticks) const {
    const glm::dvec2 tick = glm::abs(label.aside) * measure_(label.beyond);
    const double step = 0.5 * letter_, begin = tick.x + tick.y + 0.5 * step;
    for (int k = 0; k < kSteps; ++k) {
      const double farther = begin + k * step;
      if (const TextBox box = box_of(label, text, label.pixel, farther); is_free(box, beside_ticks))
        return box;
      for (const glm::dvec2& pixel : label.elsewhere)
        if (const TextBox box = box_of(label, text, pixel, farther); is_free(box, beside_ticks))
          return box;
    }
    return std::nullopt;
  }

  /// Searches the whole picture for the free place nearest to the axis, up to kFarthest: row by row
  /// and place by place away from the label's pixel.
  std::optional<TextBox> nearest_free_place(const SceneLabel& label, const std::string& text,
                                            bool beside_ticks) const {
    const glm::dvec2 half = 0.5 * measure_(text);
    const double step = 0.25 * letter_;
    const glm::ivec2 steps(glm::max((size_ - 2.0 * half) / step, glm::dvec2(-1)));
    const glm::ivec2 middle(glm::round((label.pixel - half) / step));
    std::optional<TextBox> best;
    double nearest = kFarthest * glm::length(size_);
    const auto search_row = [&](int j, int begin, int way) {
      for (int i = begin; way > 0 ? i <= steps.x : i >= 0; i += way) {
        const glm::dvec2 place = half + step * glm::dvec2(i, j);
        if (glm::distance(place, label.pixel) >= nearest) {
          if ((i - middle.x) * way > 0) return;
          continue;
        }
        const TextBox box{place - half, place + half};
        if (glm::dot(place - label.pixel, label.aside) < 0 || !is_free(box, beside_ticks)) continue;
        best = box;
        nearest = glm::distance(place, label.pixel);
      }
    };
    const int most = std::max(std::abs(middle.y), std::abs(steps.y - middle.y));
    for (int away = 0; away <= most && (away - 1) * step < nearest; ++away)
      for (const int j : {middle.y - away, middle.y + away}) {
        if (j < 0 || j > steps.y) continue;
        for (const int way : {1, -1}) search_row(j, std::clamp(middle.x, 0, steps.x), way);
      }
    return best;
  }

  void add_caption(const SceneLabel& label) {
    std::vector<std::string> texts{label.text};
    texts.insert(texts.end(), label.shorter.begin(), label.shorter.end());
    // First without hiding ticks, even if only a short version fits; then in place of ticks.
    for (const bool beside_ticks : {true, false})
      for (const std::string& text : texts) {
        std::optional<TextBox> box = free_place(label, text, beside_ticks);
        if (!box) box = nearest_free_place(label, text, beside_ticks);
        if (!box) continue;
        std::erase_if(placed_, [&](const PlacedLabel& other) {
          return is_tick(*other.label) && collide(*box, other.box);
        });
        placed_.push_back({&label, *box, text});
        return;
      }
  }

  std::span<const PixelLine> lines_;
  glm::dvec2 size_;
  const TextMeasure& measure_;
  double letter_;  ///< height of a letter
  std::vector<PlacedLabel> placed_;
};

}  // namespace

bool TextBox::meets(const TextBox& other) const {
  return lower.x < other.upper.x && other.lower.x < upper.x && lower.y < other.upper.y &&
         other.lower.y < upper.y;
}

bool TextBox::meets(const PixelLine& line) const {
  // Clips the line to the box, one axis after the other.
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

std::vector<PlacedLabel> place_labels(std::span<const SceneLabel> labels,
                                      std::span<const PixelLine> lines, glm::dvec2 size,
                                      const TextMeasure& measure) {
  Layout layout(lines, size, measure);
  const auto add = [&](bool certain, bool caption) {
    for (const SceneLabel& label : labels)
      if (is_certain(label) == certain && label.elsewhere.empty() != caption) layout.add(label);
  };
  add(true, false);
  add(false, false);
  add(false, true);
  return layout.take();
}

std::vector<PlacedSliceLabel> place_labels(std::span<const SliceLabel> labels,
                                           const PixelRegion& region, const TextMeasure& measure) {
  std::vector<PlacedSliceLabel> placed;
  const auto add = [&](const SliceLabel& label, const std::string& text, const TextPlace& place) {
    const glm::dvec2 extent = measure(text);
    const glm::dvec2 lower = glm::dvec2(place.pixel) - glm::dvec2(place.anchor) * extent;
    const TextBox box{lower, lower + extent};
    const PixelRegion& room = label.room.size.x > 0 ? label.room : region;
    const glm::dvec2 first(room.corner), last(room.corner + room.size);
    const bool cut = box.lower.x < first.x || box.lower.y < first.y || box.upper.x > last.x ||
                     box.upper.y > last.y;
    const auto covered = [&](const PlacedSliceLabel& other) { return box.meets(other.box); };
    if (cut || std::ranges::any_of(placed, covered)) return false;
    placed.push_back({&label, box, text});
    return true;
  };
  const auto add_anywhere = [&](const SliceLabel& label, const std::string& text) {
    return add(label, text, label.place) ||
           std::ranges::any_of(label.elsewhere,
                               [&](const TextPlace& place) { return add(label, text, place); });
  };
  for (const SliceLabel& label : labels)
    if (!add_anywhere(label, label.text))
      for (const std::string& text : label.shorter)
        if (add_anywhere(label, text)) break;
  return placed;
}

}  // namespace skde::view::ui
