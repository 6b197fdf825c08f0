#include "pictures/contour_lines.hpp"

#include <cmath>

namespace skde {

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
