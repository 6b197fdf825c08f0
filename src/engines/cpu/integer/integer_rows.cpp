#include "engines/cpu/integer/integer_rows.hpp"

#include <algorithm>
#include <cstring>

#include "core/kernel/integer_profile.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

using Reals [[gnu::vector_size(64)]] = double;
using Wholes [[gnu::vector_size(64)]] = std::int64_t;

template <class Profile>
[[gnu::always_inline]] inline void add_rows(IntegerRows& rows, const Profile& profile,
                                            const SliceSample<double>& s, IndexRange y,
                                            double inv_sx, const Reals& steps) {
  constexpr int kLanes = IntegerRows::kLanes;
  const SliceSpans<double>& spans = rows.spans();
  for (std::int32_t k = 0; k < y.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::int32_t end = spans.end[i];
    std::int64_t* const row = rows.row(y.begin + k);
    for (std::int32_t x = spans.first[i]; x < end; x += kLanes) {
      const double distance = static_cast<double>(std::int64_t{x} - s.cell[0]) - spans.centre[i];
      const Reals u0 = (steps + distance) * inv_sx;
      Wholes cells;
      std::memcpy(&cells, row + x, sizeof cells);
      add_whole_profile(cells, profile, spans.radius_squared[i] - u0 * u0, s.weight);
      std::memcpy(row + x, &cells, sizeof cells);
    }
  }
}

template <class Profile>
[[gnu::always_inline]] inline void add_inline(IntegerRows& rows, const Profile& profile,
                                              std::span<const SliceSample<double>> samples,
                                              std::int32_t z, const Ellipsoid<double>& e) {
  Reals steps;
  for (int lane = 0; lane < IntegerRows::kLanes; ++lane) steps[lane] = lane;
  for (const SliceSample<double>& s : samples) {
    const double dz = cells_from(s.cell[2], s.offset[2], z);
    const IndexRange y = rows_of(s, e, dz, rows.ny());
    if (y.empty()) continue;
    rows.touch(y);
    find_spans(s, e, dz, y, rows.nx(), rows.spans());
    add_rows(rows, profile, s, y, e.inv_sx, steps);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_ADD_INTEGERS(NAME, TARGET)                                          \
  template <class Profile>                                                       \
  TARGET void NAME(IntegerRows& rows, const Profile& profile,                    \
                   std::span<const SliceSample<double>> samples, std::int32_t z, \
                   const Ellipsoid<double>& e) {                                 \
    add_inline(rows, profile, samples, z, e);                                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_ADD_INTEGERS(add_avx512, SKDE_AVX512)
SKDE_ADD_INTEGERS(add_avx2, SKDE_AVX2)
#endif
SKDE_ADD_INTEGERS(add_any, )
#undef SKDE_ADD_INTEGERS

}  // namespace

IntegerRows::IntegerRows(std::int32_t nx, std::int32_t ny)
    : nx_(nx),
      ny_(ny),
      stride_(std::int64_t{nx} + kLanes),
      cells_(static_cast<std::size_t>(stride_ * ny)),
      spans_(ny),
      touched_{ny, 0} {}

void IntegerRows::add(std::span<const SliceSample<double>> samples, std::int32_t z,
                      const Kernel& kernel, const Ellipsoid<double>& ellipsoid) {
  with_profile(kernel, [&]<class Profile>(const Profile& profile) {
    if constexpr (kHasIntegers<Profile>) {  // make_integer_sums() refuses other rows
#if defined(__x86_64__)
      const VectorInstructions best = vector_instructions();
      if (best == VectorInstructions::avx512)
        return add_avx512(*this, profile, samples, z, ellipsoid);
      if (best == VectorInstructions::avx2) return add_avx2(*this, profile, samples, z, ellipsoid);
#endif
      add_any(*this, profile, samples, z, ellipsoid);
    }
  });
}

void IntegerRows::move_to(std::int64_t* slice, std::int64_t sign) {
  for (std::int32_t y = touched_.begin; y < touched_.end; ++y) {
    std::int64_t* const from = row(y);
    std::int64_t* const to = slice + std::int64_t{y} * nx_;
    for (std::int32_t x = 0; x < nx_; ++x) to[x] += sign * from[x];
    std::fill_n(from, stride_, std::int64_t{0});
  }
  touched_ = {ny_, 0};
}

}  // namespace skde
