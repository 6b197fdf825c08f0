#include "viewer/window/clipboard.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
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

/// Starts a command that leads a group of processes, with a file as its input and without output.
/// Returns 0 if there is no such program.
pid_t start_with_input(std::vector<std::string> words, const std::string& input) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t group;
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, arguments.front(), &files, &group, arguments.data(), environ);
  posix_spawnattr_destroy(&group);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? process : 0;
}

}  // namespace

void ClipboardCopy::start(const std::string& file) {
  stop();
  file_ = file;
  problem_ = "not copied: there is no display";
  next_ = 0;
  busy_ = true;
  missing_ = false;
  try_next();
}

void ClipboardCopy::try_next() {
  while (process_ == 0 && next_ < tools().size()) {
    const ClipboardTool& tool = tools()[next_++];
    const char* const display = std::getenv(tool.display);
    if (display == nullptr || *display == '\0') continue;
    std::vector<std::string> words = tool.words;
    words.push_back(type_of(file_));
    process_ = start_with_input(std::move(words), file_);
    missing_ = process_ == 0;
    if (missing_) problem_ = std::string("not copied: install ") + tool.package;
  }
  watch_ = StopWatch();
}

std::optional<std::string> ClipboardCopy::take_result() {
  if (!busy_) return std::nullopt;
  if (process_ == 0) return finish(problem_);
  int status = 0;
  const pid_t ended = waitpid(process_, &status, WNOHANG);
  if (ended == 0 && watch_.seconds() < longest_) return std::nullopt;
  const std::string name = tools()[next_ - 1].words.front();
  if (ended == 0) {
    stop();
    busy_ = true;
    problem_ = "not copied: " + name + " does not end";
  } else {
    process_ = 0;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return finish("copied to the clipboard");
    problem_ = "not copied: " + name + " failed";
  }
  try_next();
  return process_ == 0 ? std::optional(finish(problem_)) : std::nullopt;
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

void ClipboardCopy::stop() {
  busy_ = false;
  if (process_ == 0) return;
  kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

}  // namespace skde::view
