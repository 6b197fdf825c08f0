#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/report/words.hpp"

namespace skde::view {

/// The quantity that a film varies: the window of time, the bandwidth h, the camera around the
/// volume, or the slice of the method, then its sample.
enum class FilmKind { time, h, turn, method };

inline constexpr Words<FilmKind, 4> kFilmKinds{{{"time", FilmKind::time},
                                                {"h", FilmKind::h},
                                                {"turn", FilmKind::turn},
                                                {"method", FilmKind::method}}};

/// A film to write without a window.
struct FilmOptions {
  FilmKind kind = FilmKind::turn;
  int frames = 0;    ///< 0: no film
  std::string name;  ///< a file name with a %d, or a video: see FilmWriter
  std::optional<std::array<double, 2>> range{};  ///< first and last h or time
  double rate = 25;                              ///< pictures a second of a video
};

}  // namespace skde::view
