#include "engines/cpu/span/slice_differences.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

constexpr int kPadding = 3;  // columns past a row's last cell that are written to

/// Rounds to an integer modulo 2^64; |x| must be below 2^51. Unlike a conversion, this is a vector
/// instruction on every CPU.
[[gnu::always_inline]] inline std::uint64_t fixed(double x) {
  constexpr double kRounding = 0x1.8p52;
  return std::bit_cast<std::uint64_t>(x + kRounding) - std::bit_cast<std::uint64_t>(kRounding);
}

/// Returns the fixed-point value of 1, or 0 if there is nothing to add. No sum over the samples
/// exceeds 63 bits: with D = max(sx, 1), a value is at most its weight times D^2, and rounding adds
/// less than half the square of the number of columns to each. No coefficient of a sample exceeds
/// the 51 bits of fixed(): it is at most 2 D (D + 1) times the weight.
double fixed_point_scale(std::span<const SliceSample<float>> samples, int degree, double sx) {
  constexpr double kMostSum = 0x1p61, kMostOfOne = 0x1p49;
  double total = 0, largest = 0;
  for (const auto& s : samples) {
    const double weight = std::abs(static_cast<double>(s.weight));
    total += weight;
    largest = std::max(largest, weight);
  }
  if (!(total > 0)) return 0;
  const double d = std::max(sx, 1.0);
  const double unit = degree == 0 ? 1 : d * d;
  return std::min(kMostSum / total, kMostOfOne / largest) / unit;
}

/// Finds both ends of a kernel's rows. Let m be the centre of a row, c the cell of its span nearest
/// to m, mu = m - c and j = i - c. The kernel is one (r^2 - (j - mu)^2) = a0 + a1 j + a2 j^2 there.
/// The coefficients are rounded about c, where they are small. Everything after that is exact.
[[gnu::always_inline]] inline void find_ends(SliceDifferences::Ends& ends, std::int32_t count,
                                             std::int32_t nx, std::int32_t cell, double one,
                                             double sx) {
  const float* const centre = ends.spans.centre.data();
  const float* const radius_squared = ends.spans.radius_squared.data();
  std::int32_t* const first = ends.spans.first.data();
  std::int32_t* const end = ends.spans.end.data();
  std::uint64_t* const first_value = ends.first_value.data();
  std::uint64_t* const first_slope = ends.first_slope.data();
  std::uint64_t* const end_value = ends.end_value.data();
  std::uint64_t* const end_slope = ends.end_slope.data();
  const double at = cell, square = sx * sx;
  const std::uint64_t a2 = fixed(-one);
#pragma GCC ivdep
  for (std::int32_t k = 0; k < count; ++k) {
    // Rows that the kernel misses get an empty span, so that both ends cancel.
    const std::int32_t from = first[k], to = end[k];
    const std::int32_t right = std::min(std::max(to, 0), nx);
    const std::int32_t left = radius_squared[k] > 0 ? std::min(from, right) : right;
    const double middle = static_cast<double>(centre[k]);
    const double c = std::min(std::max(at + std::rint(middle), static_cast<double>(left)),
                              static_cast<double>(right));
    const double mu = (at - c) + middle;
    const std::uint64_t a0 =
        fixed(one * (square * static_cast<double>(radius_squared[k]) - mu * mu));
    const std::uint64_t a1 = fixed(2 * one * mu);
    const std::uint64_t i = fixed(static_cast<double>(left) - c);
    const std::uint64_t j = fixed(static_cast<double>(right) - c);
    first_value[k] = a0 + i * (a1 + a2 * i);
    first_slope[k] = a1 + a2 * (2 * i + 1);
    end_value[k] = a0 + j * (a1 + a2 * j);
    end_slope[k] = a1 + a2 * (2 * j + 1);
    first[k] = left;
    end[k] = right;
  }
}

/// Adds the third differences of a sequence that begins here with this value, first difference and
/// second difference.
[[gnu::always_inline]] inline void begin(std::uint64_t* at, std::uint64_t value,
                                         std::uint64_t slope, std::uint64_t bend) {
  at[0] += value;
  at[1] += slope - 2 * value;
  at[2] += bend - slope + value;
}

[[gnu::always_inline]] inline void add_quadratics(SliceDifferences& differences, IndexRange y,
                                                  std::int32_t cell, double one, double sx) {
  auto& ends = differences.ends();
  find_ends(ends, y.size(), differences.nx(), cell, one, sx);
  const std::uint64_t bend = 2 * fixed(-one);
  for (std::int32_t k = 0; k < y.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    std::uint64_t* const row = differences.row(y.begin + k);
    begin(row + ends.spans.first[i], ends.first_value[i], ends.first_slope[i], bend);
    begin(row + ends.spans.end[i], 0 - ends.end_value[i], 0 - ends.end_slope[i], 0 - bend);
  }
}

[[gnu::always_inline]] inline void add_constants(SliceDifferences& differences, IndexRange y,
                                                 double one) {
  const auto& spans = differences.ends().spans;
  const std::uint64_t value = fixed(one);
  for (std::int32_t k = 0; k < y.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (!(spans.radius_squared[i] > 0) || spans.first[i] >= spans.end[i]) continue;
    std::uint64_t* const row = differences.row(y.begin + k);
    row[spans.first[i]] += value;
    row[spans.end[i]] -= value;
  }
}

/// The cells that samples may have added to. Only these are summed.
struct Touched {
  IndexRange x, y;

  void add(const SliceSample<float>& s, double reach, IndexRange rows, std::int32_t nx) {
    const auto column = [&](double at) {
      return static_cast<std::int32_t>(std::min(std::max(at, 0.0), static_cast<double>(nx)));
    };
    const double cell = s.cell[0];
    x = {std::min(x.begin, column(cell - reach)), std::max(x.end, column(cell + reach))};
    y = {std::min(y.begin, rows.begin), std::max(y.end, rows.end)};
  }
};

/// Sums a row's differences in the columns, adds the values to `to`, and clears the differences.
template <int P, class Sum>
[[gnu::always_inline]] inline void move_row(SliceDifferences& differences, std::int32_t y,
                                            IndexRange columns, double unit, Sum* to) {
  std::uint64_t* const row = differences.row(y);
  std::int64_t* const sums = differences.sums().data();
  std::uint64_t bend = 0, slope = 0, value = 0;
  for (std::int32_t x = columns.begin; x < columns.end; ++x) {
    if constexpr (P == 0) {
      value += row[x];
    } else {
      bend += row[x];
      slope += bend;
      value += slope;
    }
    sums[x] = static_cast<std::int64_t>(value);
    row[x] = 0;
  }
  std::fill_n(row + columns.end, kPadding, 0);
  // Rounding may leave the end of a kernel slightly below 0.
  for (std::int32_t x = columns.begin; x < columns.end; ++x) {
    const double sum = static_cast<double>(sums[x]);
    to[x] += static_cast<Sum>(std::max(sum, 0.0) * unit);
  }
}

template <int P, class Sum>
[[gnu::always_inline]] inline void add_inline(SliceDifferences& differences,
                                              std::span<const SliceSample<float>> samples,
                                              std::int32_t z, const Ellipsoid<float>& e,
                                              Sum* slice) {
  const double sx = static_cast<double>(e.sx);
  const double scale = fixed_point_scale(samples, P, sx);
  if (!(scale > 0)) return;
  // From a sample's cell to the end of its kernel, with room for float rounding.
  const double reach = 1.0001 * static_cast<double>(e.rx) + 3;
  Touched touched{{differences.nx(), 0}, {differences.ny(), 0}};
  for (const SliceSample<float>& s : samples) {
    const float dz = cells_from(s.cell[2], s.offset[2], z);
    const IndexRange y = rows_of(s, e, dz, differences.ny());
    if (y.empty()) continue;
    touched.add(s, reach, y, differences.nx());
    find_spans(s, e, dz, y, differences.nx(), differences.ends().spans);
    const double one = scale * static_cast<double>(s.weight);
    if constexpr (P == 0)
      add_constants(differences, y, one);
    else
      add_quadratics(differences, y, s.cell[0], one, sx);
  }
  // The profile 1 - q is the quadratic divided by sx^2.
  const double unit = P == 0 ? 1 / scale : 1 / (scale * sx * sx);
  for (std::int32_t y = touched.y.begin; y < touched.y.end; ++y)
    move_row<P>(differences, y, touched.x, unit, slice + std::int64_t{y} * differences.nx());
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_ADD_DIFFERENCES(NAME, TARGET)                                                     \
  template <int P, class Sum>                                                                  \
  TARGET void NAME(SliceDifferences& differences, std::span<const SliceSample<float>> samples, \
                   std::int32_t z, const Ellipsoid<float>& e, Sum* slice) {                    \
    add_inline<P>(differences, samples, z, e, slice);                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_ADD_DIFFERENCES(add_avx512, SKDE_AVX512)
SKDE_ADD_DIFFERENCES(add_avx2, SKDE_AVX2)
#endif
SKDE_ADD_DIFFERENCES(add_any, )
#undef SKDE_ADD_DIFFERENCES

template <int P, class Sum>
void add_best(SliceDifferences& differences, std::span<const SliceSample<float>> samples,
              std::int32_t z, const Ellipsoid<float>& e, Sum* slice) {
#if defined(__x86_64__)
  const VectorInstructions best = vector_instructions();
  if (best == VectorInstructions::avx512) return add_avx512<P>(differences, samples, z, e, slice);
  if (best == VectorInstructions::avx2) return add_avx2<P>(differences, samples, z, e, slice);
#endif
  add_any<P>(differences, samples, z, e, slice);
}

}  // namespace

bool SliceDifferences::serves(KernelFunction function, std::int64_t nx) {
  constexpr std::int64_t kMostColumns = 1 << 20;
  return nx <= kMostColumns && function.is_power_up_to(1);
}

SliceDifferences::Ends::Ends(std::int32_t ny)
    : spans(ny),
      first_value(static_cast<std::size_t>(ny)),
      first_slope(first_value.size()),
      end_value(first_value.size()),
      end_slope(first_value.size()) {}

SliceDifferences::SliceDifferences(std::int32_t nx, std::int32_t ny)
    : nx_(nx),
      ny_(ny),
      stride_(std::int64_t{nx} + kPadding),
      cells_(static_cast<std::size_t>(stride_ * ny)),
      sums_(static_cast<std::size_t>(nx)),
      ends_(ny) {}

double SliceDifferences::bytes(std::int32_t nx, std::int32_t ny) {
  constexpr double kEnds = 4 * sizeof(std::uint64_t);
  const double columns = static_cast<double>(nx) + kPadding;
  return sizeof(std::uint64_t) * columns * ny + sizeof(std::int64_t) * nx +
         (ny + SliceSpans<float>::kTogether) * kEnds + SliceSpans<float>::bytes(ny);
}

template <class Sum>
void SliceDifferences::add(std::span<const SliceSample<float>> samples, std::int32_t z,
                           KernelFunction function, const Ellipsoid<float>& ellipsoid, Sum* slice) {
  if (*function->degree == 0)
    add_best<0>(*this, samples, z, ellipsoid, slice);
  else
    add_best<1>(*this, samples, z, ellipsoid, slice);
}

template void SliceDifferences::add(std::span<const SliceSample<float>>, std::int32_t,
                                    KernelFunction, const Ellipsoid<float>&, float*);
template void SliceDifferences::add(std::span<const SliceSample<float>>, std::int32_t,
                                    KernelFunction, const Ellipsoid<float>&, double*);

double mean_row_cells(const Ellipsoid<double>& ellipsoid, const Grid& grid) {
  return std::min(4.0 / 3 * ellipsoid.sx, static_cast<double>(grid.dims[0]));
}

RowMethod choose_row_method(const Ellipsoid<double>& ellipsoid, const Grid& grid,
                            KernelFunction function, Precision precision) {
  const bool serves =
      precision == Precision::f32 && SliceDifferences::serves(function, grid.dims[0]);
  return serves && mean_row_cells(ellipsoid, grid) >= kBreakEvenRowCells ? RowMethod::differences
                                                                         : RowMethod::vectors;
}

}  // namespace skde
