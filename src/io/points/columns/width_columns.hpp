#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/columns/reading_choices.hpp"

namespace skde::io {

/// A name of smoothing lengths, and what they are in the programs that write it.
struct SmoothingLengths {
  std::string_view name;
  WidthForm form;
  double times;  ///< the deviation or support
  std::string_view meaning;
};
inline constexpr std::array<SmoothingLengths, 4> kSmoothingLengths{
    {{"SmoothingLengths", WidthForm::deviation, 2, "2 deviations of the kernel, as in SWIFT"},
     {"SmoothingLength", WidthForm::support, 1, "the radius of its support, as in Gadget"},
     {"Hsml", WidthForm::support, 1, "the radius of its support, as in Gadget"},
     {"smoothing_length", WidthForm::support, 1, "the radius of its support, as in Gadget"}}};

// Bandwidth columns are one of: 1 column, named or kUsualWidth; 3 lengths along the axes; 6 (xx,
// xy, xz, yy, yz, zz) or 9 (row by row) entries of the matrix H_i; kSplat, the properties of a
// Gaussian splat; or kMixture, those of a Gaussian of a mixture. Those of a splat are scale_0 to
// scale_2, logarithms of lengths; rot_0 to rot_3, a quaternion with w first; and, unless another
// weight column is named, mass or else opacity, whose sigmoid is the weight. A Gaussian of a
// mixture has a mass, and the covariance xx, xy, xz, yy, yz, zz or those properties of a splat.
// Files that store floats may have x_low, y_low and z_low, which are added to x, y and z.
/// Stands for the column with a usual name of smoothing lengths; see kSmoothingLengths.
inline constexpr std::string_view kUsualWidth = "auto";
inline constexpr std::string_view kSplat = "splat";
inline constexpr std::string_view kMixture = "mixture";
inline constexpr std::string_view kOpacity = "opacity";
inline constexpr std::string_view kMass = "mass";
inline constexpr std::array<std::string_view, 6> kMatrixColumns{"xx", "xy", "xz", "yy", "yz", "zz"};
inline constexpr std::array<std::string_view, 7> kSplatColumns{
    "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"};
inline constexpr std::array<std::string_view, 3> kLowColumns{"x_low", "y_low", "z_low"};

bool is_splat(const std::vector<std::string>& widths);
bool is_mixture(const std::vector<std::string>& widths);
/// True for both: they have weights, and Gaussians are meant.
inline bool are_gaussians(const std::vector<std::string>& widths) {
  return is_splat(widths) || is_mixture(widths);
}
/// Returns the columns to read from a file with these columns. Throws Error(usage) if their number
/// is none of the above.
std::vector<std::string> width_columns(const std::vector<std::string>& widths,
                                       const std::vector<std::string>& names = {});
/// Returns the column of weights of a file with these columns; `widths` are_gaussians().
std::string gaussian_weight(const std::vector<std::string>& widths,
                            const std::vector<std::string>& names);

/// 1 / (1 + exp(-opacity)).
double splat_weight(double opacity);
/// Appends the bandwidth or shape of a row of such columns, a shape with `added`; returns false if
/// it is invalid, such as a length that is not positive. `scale` times a length is h.
bool append_width(std::span<const double> row, const std::vector<std::string>& widths,
                  WidthForm form, Samples& to, const Symmetric3& added = {}, double scale = 1);
/// Returns true if a row of such columns is of lengths, of which one is 0 and none is negative.
bool is_zero_width(std::span<const double> row, const std::vector<std::string>& widths);
/// Returns h of H = h^2 I for a width of 1. Throws Error(usage) if it is where the kernel ends, and
/// the kernel never ends.
double width_scale(WidthForm form, const KernelRow& kernel, const std::string& column);
/// Returns what smoothing lengths of this name are, whatever its case; null for other names.
const SmoothingLengths* smoothing_lengths_named(const std::string& name);
/// Says in ReadColumns what the widths of `wanted` are taken for, and by what they become h. Throws
/// what width_scale() throws.
void describe_widths(const ColumnSelection& wanted, ReadColumns& described);
/// Returns what a row of such columns adds to x, y and z: the numbers of kLowColumns, or zeros.
Vec3 low_part(std::span<const double> row, const std::vector<std::string>& widths);

}  // namespace skde::io
