#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes/child_process.hpp"
#include "pictures/picture.hpp"

namespace skde::view {

/// Writes the pictures of a film: as numbered PNG files, or as a video by the program ffmpeg. If
/// there is no ffmpeg, a video becomes numbered files beside its name.
class FilmWriter {
 public:
  /// `name` has a %d, or is that of a video. `rate` is in pictures a second.
  FilmWriter(std::string name, double rate);
  /// Removes a video that was not finished.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  /// Adds a picture; all have the size of the first. Throws Error(output) if writing fails.
  void add(const Picture& picture);
  /// Completes the film. Returns what to do to make a video of the files; empty if there is nothing
  /// to do. Throws Error(output) if ffmpeg fails.
  std::string finish();

 private:
  void start(const Picture& first);

  std::string name_;
  double rate_;
  std::string encoder_;  ///< path of ffmpeg; empty: files are written
  std::string pattern_;  ///< of the files
  int frames_ = 0;
  std::optional<io::ChildProcess> child_;  ///< ffmpeg
};

}  // namespace skde::view
