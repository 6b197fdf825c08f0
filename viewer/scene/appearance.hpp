#pragma once

#include <array>
#include <string>

#include "core/report/words.hpp"

namespace skde::view {

/// The colours of panels and ground.
enum class Theme { dark, light };

inline constexpr Words<Theme, 2> kThemes{{{"dark", Theme::dark}, {"light", Theme::light}}};

/// The ground of pictures that are written: that of the theme, or none, for a PNG with opacities.
enum class Ground { theme, dark, light, transparent };

inline constexpr Words<Ground, 4> kGrounds{{{"theme", Ground::theme},
                                            {"dark", Ground::dark},
                                            {"light", Ground::light},
                                            {"transparent", Ground::transparent}}};

/// The format of pictures that F12 writes. In SVG and PDF axes and letters are shapes.
enum class PictureFormat { png, svg, pdf };

inline constexpr Words<PictureFormat, 3> kPictureFormats{
    {{"png", PictureFormat::png}, {"svg", PictureFormat::svg}, {"pdf", PictureFormat::pdf}}};

inline constexpr int kLeastPictureSide = 16, kMostPictureSide = 16384;  // pixels

/// The look of pictures: theme, ground, title and decorations, and the format and size that F12
/// writes.
struct Appearance {
  Theme theme = Theme::dark;
  Ground ground = Ground::theme;
  std::string title;  ///< above the views; may be empty
  bool axes = true;   ///< box, ticks and captions
  bool bar = true;    ///< colour bar
  bool mass = true;   ///< share of the mass in the box
  bool triad = true;  ///< directions of the axes
  PictureFormat format = PictureFormat::png;
  std::array<int, 2> size{};  ///< pixels, kLeastPictureSide to kMostPictureSide; 0: as the views

  friend bool operator==(const Appearance&, const Appearance&) = default;
};

/// Returns the theme of pictures that are written. A transparent one has the inks of its theme.
inline Theme picture_theme(const Appearance& appearance) {
  if (appearance.ground == Ground::dark) return Theme::dark;
  return appearance.ground == Ground::light ? Theme::light : appearance.theme;
}

}  // namespace skde::view
