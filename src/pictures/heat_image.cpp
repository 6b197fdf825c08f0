#include "pictures/heat_image.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

constexpr Color kNoValue{160, 160, 160};  // a colour that is not in the map

/// The cells of a row that a pixel shows, by the value furthest from the middle or by a blend of
/// two.
struct PixelCells {
  std::int64_t begin, end;
  double first_share;  ///< share of the pixel, if it is blended

  template <class Value>
  double show(bool blended, double middle, const Value& value) const {
    if (blended && end - begin == 2)
      return first_share * value(begin) + (1 - first_share) * value(begin + 1);
    double furthest = value(begin);
    for (std::int64_t cell = begin + 1; cell < end; ++cell) {
      const double other = value(cell);
      const bool is_first = std::isnan(furthest);  // ignores NaN if there are numbers
      if (is_first || std::abs(other - middle) > std::abs(furthest - middle)) furthest = other;
    }
    return furthest;
  }
};

/// With two or more pixels per cell, each cell has a pixel of its own, and the pixels on its edges
/// can be blended. Without blending, cells of 3 and of 4 pixels side by side would show as stripes.
bool is_blended(std::int64_t cells, int pixels) { return 2 * cells <= pixels; }

std::vector<PixelCells> cells_of_pixels(std::int64_t cells, int pixels) {
  std::vector<PixelCells> ranges;
  for (std::int64_t p = 0; p < pixels; ++p) {
    const std::int64_t begin = p * cells / pixels, end = ((p + 1) * cells + pixels - 1) / pixels;
    const auto first_part = static_cast<double>((begin + 1) * pixels - p * cells);
    ranges.push_back({begin, end, first_part / static_cast<double>(cells)});
  }
  return ranges;
}

/// Fits each row of the projection to `width` values.
std::vector<double> fit_columns(const Projection& projection, int width, bool flipped,
                                double middle) {
  std::vector<PixelCells> columns = cells_of_pixels(projection.width, width);
  if (flipped) std::ranges::reverse(columns);
  const bool blended = is_blended(projection.width, width);
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(projection.height * width));
  for (std::int64_t row = 0; row < projection.height; ++row)
    for (const PixelCells& cells : columns)
      rows.push_back(cells.show(blended, middle,
                                [&](std::int64_t column) { return projection.at(column, row); }));
  return rows;
}

std::vector<Color> make_palette(ColorMap map) {
  std::vector<Color> palette;
  palette.reserve(1024);
  for (int i = 0; i < 1024; ++i) palette.push_back(map_color(i / 1023.0, map));
  return palette;
}

}  // namespace

std::vector<Color> heat_image(const Projection& projection, int width, int height, double peak,
                              bool flipped_columns, bool flipped_rows, ColorMap map,
                              double middle) {
  const std::vector<Color> palette = make_palette(map);
  const auto color = [&](double value) {
    if (std::isnan(value)) return kNoValue;
    const double share = peak > 0 ? std::clamp(value / peak, 0.0, 1.0) : 0.0;
    return palette[static_cast<std::size_t>(std::lround(share * 1023))];
  };
  const std::vector<double> fitted = fit_columns(projection, width, flipped_columns, middle);
  std::vector<PixelCells> rows = cells_of_pixels(projection.height, height);
  if (!flipped_rows) std::ranges::reverse(rows);  // rows of the picture run downwards
  const bool blended = is_blended(projection.height, height);
  std::vector<Color> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (const PixelCells& cells : rows)
    for (std::int64_t x = 0; x < width; ++x)
      pixels.push_back(color(cells.show(blended, middle, [&](std::int64_t row) {
        return fitted[static_cast<std::size_t>(row * width + x)];
      })));
  return pixels;
}

std::vector<Color> color_bar_image(int width, int height, ColorMap map) {
  std::vector<Color> pixels;
  for (int y = 0; y < height; ++y)
    pixels.insert(pixels.end(), static_cast<std::size_t>(width),
                  map_color((height - 0.5 - y) / height, map));
  return pixels;
}

std::vector<std::array<PlanePoint, 2>> contour_lines(const Projection& plane, double level) {
  constexpr std::array<std::array<int, 2>, 4> kCorners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  std::vector<std::array<PlanePoint, 2>> lines;
  for (std::int64_t j = 0; j + 1 < plane.height; ++j)
    for (std::int64_t i = 0; i + 1 < plane.width; ++i) {
      std::array<double, 4> above{};
      double sum = 0;
      for (std::size_t c = 0; c < 4; ++c)
        sum += above[c] = plane.at(i + kCorners[c][0], j + kCorners[c][1]) - level;
      if (std::isnan(sum)) continue;
      // Where opposite corners are above, their mean says whether they are connected.
      const bool turned = (sum >= 0) == (above[0] >= 0);
      std::vector<PlanePoint> crossed;
      for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t from = (c + (turned ? 0 : 3)) % 4, to = (from + 1) % 4;
        if ((above[from] >= 0) == (above[to] >= 0)) continue;
        const double t = above[from] / (above[from] - above[to]);
        const auto along = [&](std::size_t axis) {
          return 0.5 + static_cast<double>(axis == 0 ? i : j) +
                 std::lerp(kCorners[from][axis], kCorners[to][axis], t);
        };
        crossed.push_back({along(0), along(1)});
      }
      for (std::size_t k = 0; k + 1 < crossed.size(); k += 2)
        lines.push_back({crossed[k], crossed[k + 1]});
    }
  return lines;
}

}  // namespace skde
