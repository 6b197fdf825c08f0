#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/points/reading_choices.hpp"

namespace skde::io {

// Widths are 1 column, of that name or kUsualWidth; 3 of lengths along the axes; 6 (xx, xy, xz, yy,
// yz, zz) or 9 (row by row) of the matrix H_i; or kSplat, the properties of a Gaussian splat:
// scale_0 to scale_2, the logarithms of lengths, rot_0 to rot_3, a quaternion with w first, and
// opacity, of which the weight is the sigmoid unless another column of weights is named.
/// For the column that is named as smoothing lengths are, see kSmoothingLengths.
inline constexpr std::string_view kUsualWidth = "auto";
inline constexpr std::string_view kSplat = "splat";
inline constexpr std::string_view kOpacity = "opacity";

bool is_splat(const std::vector<std::string>& widths);
/// The columns that are read. Error(usage) where their number is none of these.
std::vector<std::string> width_columns(const std::vector<std::string>& widths);

/// 1 / (1 + exp(-opacity)).
double splat_weight(double opacity);
/// Appends the width or shape of a row of such columns; false where it is none, as a length that is
/// not above 0.
bool append_width(std::span<const double> row, const std::vector<std::string>& widths,
                  WidthForm form, Samples& to);

}  // namespace skde::io
