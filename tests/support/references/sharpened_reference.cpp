#include "support/references/sharpened_reference.hpp"

#include <array>
#include <cmath>

#include "support/references/direct_kernel.hpp"

namespace skde::test {
namespace {

struct Copy {
  double at[3], sign[3];
};

/// The sample itself and its images.
std::vector<Copy> copies_of(Vec3 point, const Box& box, const Boundaries& boundaries) {
  std::array<std::vector<std::array<double, 2>>, 3> along;
  for (int a = 0; a < 3; ++a) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(a)];
    auto& places = along[static_cast<std::size_t>(a)];
    if (boundary != Boundary::reflect && boundary != Boundary::periodic) {
      places.push_back({point[a], 1});
      continue;
    }
    const double length = box.upper[a] - box.lower[a];
    for (int k = -2; k <= 2; ++k) {
      const bool mirrored = boundary == Boundary::reflect && k % 2 != 0;
      const double inside = point[a] - box.lower[a];
      places.push_back({box.lower[a] + k * length + (mirrored ? length - inside : inside),
                        mirrored ? -1.0 : 1.0});
    }
  }
  std::vector<Copy> copies;
  for (const auto& x : along[0])
    for (const auto& y : along[1])
      for (const auto& z : along[2]) copies.push_back({{x[0], y[0], z[0]}, {x[1], y[1], z[1]}});
  return copies;
}

}  // namespace

std::vector<double> sharpened_places(const SamplesView& points, const Symmetric3& H, const Box& box,
                                     const Boundaries& boundaries) {
  const DirectKernel direct(KernelFunction::gaussian, H);
  const double h[3][3] = {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}};
  std::vector<double> moved(points.xyz.begin(), points.xyz.end());
  std::vector<std::vector<Copy>> copies;
  for (std::size_t j = 0; j < points.size(); ++j)
    copies.push_back(copies_of(points.point(j), box, boundaries));
  for (std::size_t i = 0; i < points.size(); ++i) {
    double sum = 0, slope[3] = {0, 0, 0};
    for (std::size_t j = 0; j < points.size(); ++j)
      for (const Copy& copy : copies[j]) {
        double d[3], precision_d[3] = {0, 0, 0};
        for (int a = 0; a < 3; ++a) d[a] = (copy.at[a] - points.point(i)[a]) * copy.sign[a];
        double q = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) {
            precision_d[a] += direct.p[a][b] * d[b];
            q += d[a] * direct.p[a][b] * d[b];
          }
        const double k = points.weight(j) * std::exp(-q / 2);
        sum += k;
        for (int a = 0; a < 3; ++a) slope[a] += k * copy.sign[a] * precision_d[a];
      }
    for (int a = 0; a < 3; ++a) {
      double& place = moved[3 * i + static_cast<std::size_t>(a)];
      for (int b = 0; b < 3; ++b) place += h[a][b] * slope[b] / sum / 2;
      const double lower = box.lower[a], upper = box.upper[a];
      const Boundary boundary = boundaries[static_cast<std::size_t>(a)];
      if (boundary == Boundary::periodic && place < lower) place += upper - lower;
      if (boundary == Boundary::periodic && place > upper) place -= upper - lower;
      if (boundary == Boundary::reflect && place < lower) place = 2 * lower - place;
      if (boundary == Boundary::reflect && place > upper) place = 2 * upper - place;
    }
  }
  return moved;
}

}  // namespace skde::test
