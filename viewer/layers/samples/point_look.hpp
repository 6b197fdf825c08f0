#pragma once

#include <array>
#include <cstddef>
#include <glm/glm.hpp>
#include <string>

#include "core/report/words.hpp"

namespace skde::view {

/// What the colour or the size of a sample tells.
enum class PointColors { plain, density, weight, column };

inline constexpr Words<PointColors, 4> kPointColors{{{"plain", PointColors::plain},
                                                     {"density", PointColors::density},
                                                     {"weight", PointColors::weight},
                                                     {"column", PointColors::column}}};

/// Least and most of PointLook::size.
inline constexpr double kLeastPointSize = 0.05, kMostPointSize = 50;

/// How samples look in the volume, and which are shown.
struct PointLook {
  PointColors colors = PointColors::plain;
  std::string column{};  ///< its name or number, for PointColors::column
  double size = 1;       ///< of the diameter, relative to what suits their number
  std::string where{};   ///< condition on columns: see io::RowCondition; empty: all
  PointColors sizes = PointColors::plain;  ///< what the diameter tells, if it is not plain
  std::string size_column{};               ///< its name or number, for PointColors::column

  /// Returns true if the files must be read for it.
  bool needs_columns() const {
    return !where.empty() || colors == PointColors::column || sizes == PointColors::column;
  }
  friend bool operator==(const PointLook&, const PointLook&) = default;
};

/// Diameters at the low and the high end of what sizes tell, relative to those of plain samples.
inline constexpr double kLeastDiameter = 0.5, kMostDiameter = 3;

/// How many categories have a colour of their own.
inline constexpr std::size_t kMostCategories = 10;

/// Returns the colour of a category (sRGB); those from kMostCategories on are grey. Each has a
/// contrast of 2.8 or more to the dark and to the light ground.
inline glm::vec3 category_color(std::size_t category) {
  constexpr std::array<std::array<int, 3>, kMostCategories> kColors{{{55, 150, 255},
                                                                     {240, 120, 25},
                                                                     {10, 175, 0},
                                                                     {220, 80, 160},
                                                                     {170, 0, 255},
                                                                     {10, 115, 50},
                                                                     {180, 55, 15},
                                                                     {5, 75, 255},
                                                                     {115, 80, 170},
                                                                     {255, 20, 255}}};
  if (category >= kMostCategories) return glm::vec3(0.52F, 0.52F, 0.53F);
  const auto& [r, g, b] = kColors[category];
  return glm::vec3(r, g, b) / 255.0F;
}

}  // namespace skde::view
