#include "pictures/projection.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace skde {
namespace {

/// Less than every number, so that the first number on a line replaces it.
template <class Real>
constexpr Real kNothing = -std::numeric_limits<Real>::infinity();

/// Comparisons with NaN are false, so it never replaces a number.
template <class Real>
inline Real greater(Real kept, Real value) {
  return value > kept ? value : kept;
}

template <class Real>
struct Images {
  explicit Images(const std::array<std::int64_t, 3>& n)
      : xy(size(n[0], n[1]), kNothing<Real>),
        xz(size(n[0], n[2]), kNothing<Real>),
        zy(size(n[2], n[1]), kNothing<Real>) {}

  static std::size_t size(std::int64_t a, std::int64_t b) {
    return static_cast<std::size_t>(a * b);
  }

  std::vector<Real> xy, xz, zy;
};

/// Takes slice k into `xy` (this thread's own), row k of xz and column k of zy.
template <class Real>
void take_slice(const Real* slice, std::int64_t k, const std::array<std::int64_t, 3>& n, Real* xy,
                Images<Real>& images) {
  Real* const xz = images.xz.data() + k * n[0];
  for (std::int64_t j = 0; j < n[1]; ++j) {
    const Real* const row = slice + j * n[0];
    Real* const xy_row = xy + j * n[0];
    Real row_maximum = kNothing<Real>;
    for (std::int64_t i = 0; i < n[0]; ++i) {
      xy_row[i] = greater(xy_row[i], row[i]);
      xz[i] = greater(xz[i], row[i]);
      row_maximum = greater(row_maximum, row[i]);
    }
    images.zy[static_cast<std::size_t>(j * n[2] + k)] = row_maximum;
  }
}

template <class Real>
Images<Real> project(std::span<const Real> values, const std::array<std::int64_t, 3>& n) {
  Images<Real> images(n);
#pragma omp parallel
  {
    std::vector<Real> own(images.xy.size(), kNothing<Real>);
#pragma omp for schedule(static)
    for (std::int64_t k = 0; k < n[2]; ++k)
      take_slice(values.data() + k * n[0] * n[1], k, n, own.data(), images);
#pragma omp critical(skde_projection)
    std::transform(own.begin(), own.end(), images.xy.begin(), images.xy.begin(), greater<Real>);
  }
  return images;
}

template <class Real>
Projection as_projection(const std::vector<Real>& image, int columns, int rows,
                         const std::array<std::int64_t, 3>& n) {
  Projection projection{
      columns, rows, n[static_cast<std::size_t>(columns)], n[static_cast<std::size_t>(rows)], {}};
  projection.values.resize(image.size());
  std::transform(image.begin(), image.end(), projection.values.begin(), [](Real value) {
    return value == kNothing<Real> ? 0.0 : static_cast<double>(value);
  });
  return projection;
}

template <class Real>
Projections project_values(std::span<const Real> values, const std::array<std::int64_t, 3>& n) {
  const Images<Real> images = project(values, n);
  return {as_projection(images.xy, 0, 1, n), as_projection(images.xz, 0, 2, n),
          as_projection(images.zy, 2, 1, n)};
}

}  // namespace

Projections project_maximum(const Volume& volume) {
  const auto& dims = volume.grid().dims;
  if (volume.precision() == Precision::f32) return project_values(volume.values<float>(), dims);
  return project_values(volume.values<double>(), dims);
}

}  // namespace skde
