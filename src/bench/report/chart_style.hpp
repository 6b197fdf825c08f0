#pragma once

#include <cstddef>

#include "pictures/color_map.hpp"

namespace skde::bench {

enum class Marker { disc, square, triangle, diamond, triangle_down, cross, plus, ring };

/// How a series looks: told apart by the marker where colours cannot be.
struct SeriesStyle {
  Color color;
  Marker marker = Marker::disc;
};

/// The colours of a chart.
struct ChartTheme {
  bool dark = false;
  Color background, ink, muted, grid, minor_grid;
};

inline constexpr ChartTheme kLightTheme{false,         {255, 255, 255}, {28, 30, 33},
                                        {92, 98, 105}, {205, 209, 214}, {233, 235, 238}};
inline constexpr ChartTheme kDarkTheme{true,         {24, 26, 30}, {235, 237, 240}, {160, 167, 175},
                                       {68, 73, 80}, {42, 46, 51}};

/// Colours that people with any colour blindness tell apart (Okabe and Ito, and a brown and a
/// violet), darker on white and lighter on black; from the tenth style on, colours come back with
/// other markers.
SeriesStyle series_style(std::size_t style, const ChartTheme& theme);

}  // namespace skde::bench
