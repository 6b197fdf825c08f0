#include "core/space/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/report/thread_room.hpp"

namespace skde {
namespace {

/// Less than every number, so that the first number on a line replaces it.
constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Limits the memory of all threads, so that it stays small beside the volume, also with few
/// slices.
constexpr std::int64_t kThreadBytes = std::int64_t{64} << 20;

/// Comparisons with NaN are false, so NaN never replaces a number. With Extreme::furthest, 0 is
/// less than every number.
template <Extreme Shown, class Kept, class Value>
inline Kept greater(Kept kept, Value value) {
  const auto other = static_cast<Kept>(value);
  if constexpr (Shown == Extreme::furthest)
    if (std::abs(other) != std::abs(kept)) return std::abs(other) > std::abs(kept) ? other : kept;
  return other > kept ? other : kept;
}

std::size_t area(std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); }

Projection as_projection(std::vector<double>& image, int columns, int rows,
                         const std::array<std::int64_t, 3>& n) {
  Projection projection{columns, rows, n[static_cast<std::size_t>(columns)],
                        n[static_cast<std::size_t>(rows)], std::move(image)};
  std::ranges::replace(projection.values, kNothing, 0.0);
  return projection;
}

}  // namespace

MaximumProjector::MaximumProjector(const std::array<std::int64_t, 3>& dims, Extreme shown)
    : dims_(dims), shown_(shown) {
  const double nothing = shown == Extreme::furthest ? 0 : kNothing;
  xy_.assign(area(dims[0], dims[1]), nothing);
  xz_.assign(area(dims[0], dims[2]), nothing);
  zy_.assign(area(dims[2], dims[1]), nothing);
}

template <class Real, Extreme Shown>
void MaximumProjector::add_values(std::int64_t z, const Volume& slices) {
  constexpr Real kLess =
      Shown == Extreme::furthest ? Real(0) : -std::numeric_limits<Real>::infinity();
  const std::int64_t nx = dims_[0], ny = dims_[1], nz = dims_[2];
  const std::int64_t count = slices.grid().dims[2];
  const Real* const values = slices.values<Real>().data();
  const std::int64_t room = std::max<std::int64_t>(
      1, kThreadBytes / static_cast<std::int64_t>(xy_.size() * sizeof(Real)));
  const int threads = static_cast<int>(std::min({std::int64_t{thread_count(0)}, count, room}));
  FirstFailure failure;
#pragma omp parallel num_threads(threads)
  {
    std::vector<Real> own, across;  // own: along z over this thread's slices; across: along y in
                                    // one slice
    failure.keep([&] {
      own.assign(xy_.size(), kLess);
      across.resize(static_cast<std::size_t>(nx));
    });
#pragma omp for schedule(static)
    for (std::int64_t k = 0; k < count; ++k) {
      if (failure.any()) continue;
      std::ranges::fill(across, kLess);
      for (std::int64_t j = 0; j < ny; ++j) {
        const Real* const row = values + (k * ny + j) * nx;
        Real* const below = own.data() + j * nx;
        Real along = kLess;
        for (std::int64_t i = 0; i < nx; ++i) {
          below[i] = greater<Shown>(below[i], row[i]);
          across[static_cast<std::size_t>(i)] =
              greater<Shown>(across[static_cast<std::size_t>(i)], row[i]);
          along = greater<Shown>(along, row[i]);
        }
        zy_[area(j, nz) + static_cast<std::size_t>(z + k)] = static_cast<double>(along);
      }
      std::ranges::copy(across, xz_.begin() + (z + k) * nx);
    }
#pragma omp critical(skde_projection)
    std::ranges::transform(own, xy_, xy_.begin(),
                           [](Real value, double kept) { return greater<Shown>(kept, value); });
  }
  failure.rethrow();
}

std::int64_t MaximumProjector::held_bytes(const std::array<std::int64_t, 3>& dims,
                                          Precision precision) {
  const auto& [nx, ny, nz] = dims;
  const std::int64_t images = nx * ny + nx * nz + nz * ny;
  const std::int64_t own = nx * ny * value_bytes(precision);  // of one thread
  const std::int64_t threads = std::min<std::int64_t>(thread_count(0), nz);
  return images * static_cast<std::int64_t>(sizeof(double)) +
         std::max(own, std::min(threads * own, kThreadBytes));
}

void MaximumProjector::add(std::int64_t z, const Volume& slices) {
  const bool furthest = shown_ == Extreme::furthest;
  if (slices.precision() == Precision::f32)
    furthest ? add_values<float, Extreme::furthest>(z, slices)
             : add_values<float, Extreme::greatest>(z, slices);
  else
    furthest ? add_values<double, Extreme::furthest>(z, slices)
             : add_values<double, Extreme::greatest>(z, slices);
}

Projections MaximumProjector::take_projections() {
  return {as_projection(xy_, 0, 1, dims_), as_projection(xz_, 0, 2, dims_),
          as_projection(zy_, 2, 1, dims_)};
}

}  // namespace skde
