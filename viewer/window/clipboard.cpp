#include "viewer/window/clipboard.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace skde::view {
namespace {

struct ClipboardTool {
  const char* display;  ///< environment variable that tells of its display
  std::array<const char*, 6> command;
};
constexpr std::array<ClipboardTool, 2> kTools{
    {{"WAYLAND_DISPLAY", {"wl-copy", "--type", "image/png", nullptr, nullptr, nullptr}},
     {"DISPLAY", {"xclip", "-selection", "clipboard", "-t", "image/png", nullptr}}}};

/// Runs a command with a file as its input and without output; returns its exit code, 127 if there
/// is no such program. What it leaves in the background goes on.
int run_with_input(const std::array<const char*, 6>& command, const std::string& input) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words;
  for (const char* word : command)
    if (word != nullptr) words.emplace_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  constexpr int kMissing = 127;
  int status = 0;
  if (failed != 0 || waitpid(process, &status, 0) != process) return kMissing;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string copy_to_clipboard(const std::string& png) {
  std::string problem = "no clipboard without a display";
  for (const ClipboardTool& tool : kTools) {
    const char* const display = std::getenv(tool.display);
    if (display == nullptr || *display == '\0') continue;
    const int code = run_with_input(tool.command, png);
    if (code == 0) return "copied to the clipboard";
    const std::string name = tool.command.front();
    problem = code == 127
                  ? "not copied: install " + std::string(name == "xclip" ? name : "wl-clipboard")
                  : "not copied: " + name + " failed";
  }
  return problem;
}

}  // namespace skde::view
