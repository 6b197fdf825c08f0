#include "bench/report/chart_style.hpp"

#include <array>

namespace skde::bench {
namespace {

constexpr std::size_t kColors = 9;
using Palette = std::array<Color, kColors>;

constexpr Palette kOnWhite{{{0, 114, 178},
                            {213, 94, 0},
                            {0, 140, 102},
                            {190, 90, 150},
                            {50, 52, 56},
                            {196, 132, 0},
                            {64, 158, 214},
                            {128, 80, 44},
                            {112, 76, 190}}};
constexpr Palette kOnBlack{{{76, 168, 232},
                            {240, 128, 48},
                            {32, 184, 140},
                            {220, 140, 190},
                            {226, 228, 232},
                            {232, 184, 40},
                            {150, 210, 245},
                            {198, 152, 112},
                            {172, 148, 250}}};
constexpr std::array kMarkers{Marker::disc,    Marker::square, Marker::triangle,
                              Marker::diamond, Marker::ring,   Marker::triangle_down,
                              Marker::cross,   Marker::plus};

}  // namespace

SeriesStyle series_style(std::size_t style, const ChartTheme& theme) {
  const Palette& palette = theme.dark ? kOnBlack : kOnWhite;
  // 9 colours and 8 markers come together again after 72 styles.
  return {palette[style % kColors], kMarkers[style % kMarkers.size()]};
}

}  // namespace skde::bench
