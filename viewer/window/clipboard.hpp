#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "io/bytes/child_process.hpp"
#include "system/stop_watch.hpp"

namespace skde::view {

/// Copies pictures to the clipboard with wl-copy (Wayland) or xclip (X11). These run beside the
/// viewer, which never waits for them.
class ClipboardCopy {
 public:
  /// A tool that takes longer than this many seconds is stopped.
  explicit ClipboardCopy(double longest = 5) : longest_(longest) {}

  /// Begins to copy a .png, .svg or .pdf file. A copy that has not ended is given up.
  void start(const std::string& file);
  bool busy() const { return busy_; }
  /// Returns words that say that the copy is made, or why not, once after each start(); nothing
  /// until then. That a tool is missing is said once alone; later the words are empty.
  std::optional<std::string> take_result();
  /// Waits for them.
  std::string wait();

 private:
  /// Begins with the first tool from `next_` on whose display is there.
  void try_next();
  std::string finish(std::string words);

  double longest_;
  std::string file_, problem_;
  std::size_t next_ = 0;
  bool busy_ = false, missing_ = false, told_missing_ = false;
  std::optional<io::ChildProcess> child_;
  StopWatch watch_;
};

}  // namespace skde::view
