#include "io/points/columns/usable_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/carried_rows.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::string_view kValueNames[] = {"x", "y", "z", "the weight"};

/// Index of the first of a row's values that is not finite.
std::size_t first_non_finite(const double* xyz) {
  std::size_t axis = 0;
  while (axis < 3 && std::isfinite(xyz[axis])) ++axis;
  return axis;
}

/// Returns true if no number is NaN or infinite. Works on the bits, which the compiler vectorises:
/// adding 1 to an exponent of all ones carries into the sign bit.
bool all_finite(std::span<const double> numbers) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000, kLastBit = 0x0010000000000000;
  std::uint64_t carried = 0;
  for (const double number : numbers)
    carried |= (std::bit_cast<std::uint64_t>(number) & kExponent) + kLastBit;
  return carried >> 63 == 0;
}

Error bad_widths(const ColumnSelection& columns, const std::string& place) {
  if (columns.widening != Symmetric3{})
    return {ErrorKind::input,
            fmt::format("{}: the covariance with the new kernel is not positive definite", place),
            {"bandwidth", "choose a wider `bandwidth`"}};
  const bool matrices = columns.widths.size() > 3 || are_gaussians(columns.widths);
  return {ErrorKind::input,
          fmt::format("{}: the widths are {}", place,
                      matrices ? "not a positive definite matrix" : "not above 0"),
          {"widths", "correct the row, or choose other columns with `widths`"}};
}

}  // namespace

void UsableRows::keep(Samples& chunk, const PointReader& reader, CloudCounts& counts,
                      CategoryNames& categories) const {
  const bool weighted = !chunk.weights.empty();
  const std::size_t rows = chunk.size();
  counts.rows += rows + reader.left_out();
  counts.left_out += reader.left_out();
  counts.comments += comments_of(reader);
  const bool plain =
      !weighted && !columns_.shaped() && !columns_.categorised() && columns_.others.empty();
  if (plain && all_finite(chunk.xyz)) {
    chunk.bandwidth_factors.clear();
    return;
  }
  const bool gaussians = are_gaussians(columns_.widths);
  const bool opacities = columns_.weight.empty() && is_splat(columns_.widths) &&
                         reader.columns().weight->name == kOpacity;
  Samples widths;
  chunk.categories.resize(columns_.categorised() ? rows : 0);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const xyz = chunk.xyz.data() + 3 * row;
    double weight = weighted ? chunk.weights[row] : 1.0;
    const std::uint32_t category =
        columns_.categorised() ? category_of(chunk, row, reader, categories) : 0;
    if (opacities) weight = splat_weight(weight);
    const auto place = [&] { return source_name(input_) + ": " + reader.place_of(row); };
    if (weight < 0 && !columns_.signed_weights)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: the weight {} is negative; weights must be 0 or more", place(), weight),
          {"weights",
           "correct the row, choose another column with `weights`, or sum a signed field "
           "with `signed_weights`"});
    if (first_non_finite(xyz) < 3 || !std::isfinite(weight)) {
      drop(xyz, weight, row, reader, counts);
      continue;
    }
    const bool has_widths = all_finite(widths_of(chunk, row, reader));
    if (!has_widths || !all_finite(values_of(chunk, row, reader))) {
      if (non_finite_ == NonFinite::error)
        throw Error(ErrorKind::input,
                    fmt::format("{}: a {} is not finite", place(), has_widths ? "value" : "width"),
                    {"nan", "correct the row, or drop such rows with `nan=drop`"});
      ++counts.non_finite;
      continue;
    }
    if (weight == 0) {
      ++counts.zero_weight;
      continue;
    }
    if (columns_.shaped()) {
      const std::span<const double> own = widths_of(chunk, row, reader);
      if (non_finite_ == NonFinite::drop && is_zero_width(own, columns_.widths)) {
        ++counts.zero_width;
        continue;
      }
      if (!append_width(own, columns_.widths, columns_.width_form, widths, columns_.widening,
                        reader.columns().width_scale))
        throw bad_widths(columns_, place());
    }
    if (gaussians) {
      const Vec3 low = low_part(widths_of(chunk, row, reader), columns_.widths);
      for (std::size_t axis = 0; axis < 3; ++axis)
        chunk.xyz[3 * row + axis] += low[static_cast<int>(axis)];
    }
    if (kept != row) std::copy_n(xyz, 3, chunk.xyz.data() + 3 * kept);
    if (weighted) chunk.weights[kept] = weight;
    if (columns_.categorised()) chunk.categories[kept] = category;
    const std::span<const double> values = values_of(chunk, row, reader);
    chunk.values.insert(chunk.values.end(), values.begin(), values.end());
    ++kept;
  }
  chunk.xyz.resize(3 * kept);
  chunk.weights.resize(weighted ? kept : 0);
  chunk.bandwidth_factors = std::move(widths.bandwidth_factors);
  chunk.shapes = std::move(widths.shapes);
  chunk.categories.resize(columns_.categorised() ? kept : 0);
  if (columns_.categorised()) require_few(categories);
}

std::size_t UsableRows::keep_bare(std::span<double> xyz, const PointReader& reader,
                                  CloudCounts& counts) const {
  const std::size_t rows = xyz.size() / 3;
  counts.rows += rows;
  if (all_finite(xyz)) return rows;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const from = xyz.data() + 3 * row;
    if (first_non_finite(from) < 3)
      drop(from, 1, row, reader, counts);
    else
      std::copy_n(from, 3, xyz.data() + 3 * kept++);
  }
  return kept;
}

void UsableRows::drop(const double* xyz, double weight, std::size_t row, const PointReader& reader,
                      CloudCounts& counts) const {
  const std::size_t odd = first_non_finite(xyz);
  if (non_finite_ == NonFinite::error)
    throw Error(ErrorKind::input,
                fmt::format("{}: {}: {} is {}", source_name(input_), reader.place_of(row),
                            kValueNames[odd], odd < 3 ? xyz[odd] : weight),
                {"nan", "correct the row, or drop such rows with `nan=drop`"});
  ++counts.non_finite;
}

/// Counts every row, whether its sample is kept or not.
std::uint32_t UsableRows::category_of(const Samples& chunk, std::size_t row,
                                      const PointReader& reader, CategoryNames& categories) const {
  const std::size_t columns = reader.width_columns();
  const double number = chunk.bandwidth_factors[columns * row + columns - 1];
  const CategoryNames* const texts = reader.category_texts();
  const std::size_t place = (chunk.weights.empty() ? 2 : 3) + columns;
  if (const double rest = reader.carried() ? reader.carried()->rest_of(row, place) : 0; rest != 0)
    return categories.of(exact_text(number, rest));
  return texts ? categories.of(texts->name(static_cast<std::size_t>(number)))
               : categories.of(number);
}

void UsableRows::require_few(const CategoryNames& categories) const {
  if (columns_.category.empty() || categories.size() <= columns_.most_categories) return;
  throw Error(
      ErrorKind::input,
      fmt::format(
          "{}: column {} has {} categories in {} rows, more than {}; the most common are {}",
          source_name(input_), excerpt(columns_.category), categories.size(), categories.rows(),
          columns_.most_categories, categories.commonest()),
      {"by", "name a column of categories, or allow more with `max_categories`"});
}

/// The bandwidth columns of a row as they were read, without the other columns after them.
std::span<const double> UsableRows::widths_of(const Samples& chunk, std::size_t row,
                                              const PointReader& reader) const {
  const std::size_t columns = reader.width_columns();
  const std::size_t others = columns_.others.size() + (columns_.categorised() ? 1 : 0);
  return {chunk.bandwidth_factors.data() + columns * row, columns - others};
}

std::span<const double> UsableRows::values_of(const Samples& chunk, std::size_t row,
                                              const PointReader& reader) const {
  const std::span<const double> widths = widths_of(chunk, row, reader);
  return {widths.data() + widths.size(), columns_.others.size()};
}

}  // namespace skde::io
