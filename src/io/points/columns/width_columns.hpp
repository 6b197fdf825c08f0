#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/points/reading_choices.hpp"

namespace skde::io {

// Bandwidth columns are one of: 1 column, named or kUsualWidth; 3 lengths along the axes; 6 (xx,
// xy, xz, yy, yz, zz) or 9 (row by row) entries of the matrix H_i; or kSplat, the properties of a
// Gaussian splat. Those are scale_0 to scale_2, logarithms of lengths; rot_0 to rot_3, a quaternion
// with w first; and opacity, whose sigmoid is the weight unless another weight column is named.
/// Stands for the column with a usual name of smoothing lengths; see kSmoothingLengths.
inline constexpr std::string_view kUsualWidth = "auto";
inline constexpr std::string_view kSplat = "splat";
inline constexpr std::string_view kOpacity = "opacity";

bool is_splat(const std::vector<std::string>& widths);
/// Returns the columns to read. Throws Error(usage) if their number is none of the above.
std::vector<std::string> width_columns(const std::vector<std::string>& widths);

/// 1 / (1 + exp(-opacity)).
double splat_weight(double opacity);
/// Appends the bandwidth or shape of a row of such columns; returns false if it is invalid, such as
/// a length that is not positive.
bool append_width(std::span<const double> row, const std::vector<std::string>& widths,
                  WidthForm form, Samples& to);

}  // namespace skde::io
