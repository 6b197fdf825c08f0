#pragma once

#include <string>

#include "core/report/words.hpp"

namespace skde::view {

/// What the colour of a sample tells.
enum class PointColors { plain, density, weight, column };

inline constexpr Words<PointColors, 4> kPointColors{{{"plain", PointColors::plain},
                                                     {"density", PointColors::density},
                                                     {"weight", PointColors::weight},
                                                     {"column", PointColors::column}}};

/// How samples look in the volume, and which are shown.
struct PointLook {
  PointColors colors = PointColors::plain;
  std::string column{};  ///< its name or number, for PointColors::column
  double size = 1;       ///< of the diameter, relative to what suits their number
  std::string where{};   ///< condition on columns: see io::RowCondition; empty: all

  /// Returns true if the files must be read for it.
  bool needs_columns() const { return !where.empty() || colors == PointColors::column; }
  friend bool operator==(const PointLook&, const PointLook&) = default;
};

}  // namespace skde::view
