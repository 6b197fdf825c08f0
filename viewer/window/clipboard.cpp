#include "viewer/window/clipboard.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace skde::view {
namespace {

struct ClipboardTool {
  const char* display;  ///< environment variable that tells of its display
  const char* package;
  std::vector<std::string> words;  ///< of the command, before the type of the file
};

const std::array<ClipboardTool, 2>& tools() {
  static const std::array<ClipboardTool, 2> all{
      {{"WAYLAND_DISPLAY", "wl-clipboard", {"wl-copy", "--type"}},
       {"DISPLAY", "xclip", {"xclip", "-selection", "clipboard", "-t"}}}};
  return all;
}

std::string type_of(const std::string& file) {
  if (file.ends_with(".svg")) return "image/svg+xml";
  return file.ends_with(".pdf") ? "application/pdf" : "image/png";
}

}  // namespace

void ClipboardCopy::start(const std::string& file) {
  file_ = file;
  problem_ = "not copied: there is no display";
  next_ = 0;
  busy_ = true;
  missing_ = false;
  try_next();
}

void ClipboardCopy::try_next() {
  child_.reset();
  while (!child_ && next_ < tools().size()) {
    const ClipboardTool& tool = tools()[next_++];
    const char* const display = std::getenv(tool.display);
    if (display == nullptr || *display == '\0') continue;
    std::vector<std::string> words = tool.words;
    words.push_back(type_of(file_));
    child_.emplace(std::move(words), file_, io::ChildProcess::Output::none);
    missing_ = child_->problem() != 0;
    if (missing_) child_.reset();
    if (missing_) problem_ = std::string("not copied: install ") + tool.package;
  }
  watch_ = StopWatch();
}

std::optional<std::string> ClipboardCopy::take_result() {
  if (!busy_) return std::nullopt;
  if (!child_) return finish(problem_);
  const std::optional<int> status = child_->ended();
  if (!status && watch_.seconds() < longest_) return std::nullopt;
  const std::string name = tools()[next_ - 1].words.front();
  if (status == 0) return finish("copied to the clipboard");
  problem_ = "not copied: " + name + (status ? " failed" : " does not end");
  try_next();
  return !child_ ? std::optional(finish(problem_)) : std::nullopt;
}

std::string ClipboardCopy::finish(std::string words) {
  busy_ = false;
  if (!missing_) return words;
  return std::exchange(told_missing_, true) ? "" : words;
}

std::string ClipboardCopy::wait() {
  for (;;) {
    if (auto words = take_result()) return *words;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace skde::view
