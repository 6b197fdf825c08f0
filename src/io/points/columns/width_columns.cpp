#include "io/points/columns/width_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/report/error.hpp"
#include "core/space/space.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// R diag(lengths^2) R^T, where R is the rotation of the quaternion w, x, y, z of any positive
/// norm.
Symmetric3 turned(std::span<const double> lengths, std::span<const double> quaternion) {
  const double norm = std::hypot(std::hypot(quaternion[0], quaternion[1]),
                                 std::hypot(quaternion[2], quaternion[3]));
  const double w = quaternion[0] / norm, x = quaternion[1] / norm, y = quaternion[2] / norm,
               z = quaternion[3] / norm;
  const std::array<Vec3, 3> columns{
      Vec3{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
      Vec3{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
      Vec3{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  Symmetric3 sum;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = lengths[i] * columns[i];
    sum = sum + Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return sum;
}

Symmetric3 matrix_of(std::span<const double> row) {
  switch (row.size()) {
    case 1:
      return Symmetric3::diagonal(row[0] * row[0], row[0] * row[0], row[0] * row[0]);
    case 3:
      return Symmetric3::diagonal(row[0] * row[0], row[1] * row[1], row[2] * row[2]);
    case 6:
      return {row[0], row[1], row[2], row[3], row[4], row[5]};
    case 9:
      return {row[0], row[1], row[2], row[4], row[5], row[8]};
    default: {
      const std::array lengths{std::exp(row[0]), std::exp(row[1]), std::exp(row[2])};
      return turned(lengths, row.subspan(3, 4));
    }
  }
}

bool are_good(std::span<const double> row) {
  constexpr double kRounding = 1e-5;  // for matrices written as floats
  if (row.size() <= 3) return std::ranges::all_of(row, [](double h) { return h > 0; });
  const auto equal = [&](std::size_t a, std::size_t b) {
    return std::abs(row[a] - row[b]) <= kRounding * (std::abs(row[a]) + std::abs(row[b]));
  };
  return row.size() != 9 || (equal(1, 3) && equal(2, 6) && equal(5, 7));
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_splat(const std::vector<std::string>& widths) {
  return widths.size() == 1 && widths[0] == kSplat;
}

bool is_mixture(const std::vector<std::string>& widths) {
  return widths.size() == 1 && widths[0] == kMixture;
}

std::vector<std::string> width_columns(const std::vector<std::string>& widths,
                                       const std::vector<std::string>& names) {
  if (is_mixture(widths) && !has_name(names, kSplatColumns[0]))
    return {kMatrixColumns.begin(), kMatrixColumns.end()};
  if (are_gaussians(widths)) {
    std::vector<std::string> columns(kSplatColumns.begin(), kSplatColumns.end());
    if (has_name(names, kLowColumns[0]))
      columns.insert(columns.end(), kLowColumns.begin(), kLowColumns.end());
    return columns;
  }
  const std::size_t count = widths.size();
  if (count != 0 && count != 1 && count != 3 && count != 6 && count != 9)
    throw Error(ErrorKind::usage,
                fmt::format("expected 1, 3, 6 or 9 columns of widths; got {}", count),
                {"widths", "name 1 length, 3 lengths, or 6 or 9 entries of a matrix"});
  return widths;
}

std::string gaussian_weight(const std::vector<std::string>& widths,
                            const std::vector<std::string>& names) {
  return std::string(is_mixture(widths) || has_name(names, kMass) ? kMass : kOpacity);
}

double splat_weight(double opacity) { return 1 / (1 + std::exp(-opacity)); }

bool append_width(std::span<const double> row, const std::vector<std::string>& widths,
                  WidthForm form, Samples& to, const Symmetric3& added, double scale) {
  if (!are_gaussians(widths) && !are_good(row)) return false;
  if (row.size() == 1 && form == WidthForm::factor) {
    to.bandwidth_factors.push_back(row[0]);
    return true;
  }
  const Symmetric3 m = (scale * scale) * matrix_of(row) + added;
  // Splats may be flat; the ellipsoids of a mixture have a density.
  if (is_mixture(widths) ? !is_positive_definite(m, 0) : !is_covariance(m)) return false;
  to.shapes.insert(to.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  return true;
}

double width_scale(WidthForm form, const KernelRow& kernel, const std::string& column) {
  if (form == WidthForm::support && !kernel.is_bounded())
    throw Error(ErrorKind::usage,
                fmt::format("the widths '{}' are where kernels end, but {} kernels never end",
                            column, kernel.name),
                {"width_form",
                 "use a `kernel` that ends, such as cubic-spline, or give `width_form=deviation`"});
  switch (form) {
    case WidthForm::deviation:
      return 1 / std::sqrt(kernel.variance);
    case WidthForm::support:
      return 1 / kernel.support;
    case WidthForm::fwhm:
      return 0.5 / kernel.half_maximum;
    default:
      return 1;
  }
}

bool is_zero_width(std::span<const double> row, const std::vector<std::string>& widths) {
  return row.size() <= 3 && !are_gaussians(widths) && std::ranges::min(row) == 0;
}

bool ColumnSelection::widths_need_kernel() const {
  return (widths.size() == 1 || (widths.size() == 3 && width_form != WidthForm::by_name)) &&
         !are_gaussians(widths) && width_form != WidthForm::length &&
         width_form != WidthForm::factor;
}

const SmoothingLengths* smoothing_lengths_named(const std::string& name) {
  const auto* const known = std::ranges::find_if(kSmoothingLengths, [&](const auto& usual) {
    return lower_case(usual.name) == lower_case(name);
  });
  return known == kSmoothingLengths.end() ? nullptr : known;
}

void describe_widths(const ColumnSelection& wanted, ReadColumns& described) {
  if (!wanted.widths_need_kernel()) return;
  const std::string& name = described.widths[0].name;
  const bool assumed = wanted.width_form == WidthForm::by_name;
  WidthForm form = wanted.width_form;
  std::string meaning(word_of(kWidthForms, form));
  double times = 1;
  if (assumed) {
    const SmoothingLengths* const known = smoothing_lengths_named(described.widths[0].quantity);
    form = known != nullptr ? known->form : WidthForm::length;
    meaning = known != nullptr ? known->meaning : "h in H = h^2 I";
    times = known != nullptr ? known->times : 1;
  }
  described.width_scale = width_scale(form, wanted.width_kernel.row(), name) / times;
  described.remark = fmt::format(
      "widths {} {}{}", assumed ? "assumed to be" : "read as", meaning,
      assumed ? "; `width_form` says otherwise" : " of " + std::string(wanted.width_kernel->name));
}

Vec3 low_part(std::span<const double> row, const std::vector<std::string>& widths) {
  if (!are_gaussians(widths) || row.size() <= kSplatColumns.size()) return {};
  return {row[7], row[8], row[9]};
}

}  // namespace skde::io
