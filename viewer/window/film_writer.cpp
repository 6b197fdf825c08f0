#include "viewer/window/film_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "core/report/error.hpp"
#include "pictures/png_file.hpp"
#include "viewer/scene/frame_pattern.hpp"
#include "viewer/session/view_options.hpp"

extern char** environ;

namespace skde::view {
namespace {

/// Returns the path of a program among the folders of PATH; empty if there is none.
std::string found_program(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(list, folder, ':');)
    if (const std::string path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
  return "";
}

std::string with_pattern(const std::string& video) {
  return video.substr(0, video.rfind('.')) + "_%04d.png";
}

std::string unfinished(const std::string& video) {
  const std::size_t dot = video.rfind('.');
  return video.substr(0, dot) + ".part" + video.substr(dot);
}

std::vector<std::string> codec_of(const std::string& video) {
  if (video.ends_with(".webm")) return {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0"};
  return {"-c:v", "libx264", "-crf", "16", "-movflags", "+faststart"};
}

/// Appends what follows the input: most players need even sides and this form of colours.
void append_output(std::vector<std::string>& command, const std::string& video) {
  for (const char* word : {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"})
    command.emplace_back(word);
  for (std::string& word : codec_of(video)) command.push_back(std::move(word));
}

[[noreturn]] void fail_to_write(const std::string& video) {
  throw Error(ErrorKind::output,
              fmt::format("{}: ffmpeg could not write the film; its messages are above", video),
              {{}, "write numbered pictures instead, such as film_%04d.png"});
}

}  // namespace

FilmWriter::FilmWriter(std::string name, double rate) : name_(std::move(name)), rate_(rate) {
  if (is_video_name(name_)) encoder_ = found_program("ffmpeg");
  pattern_ = is_video_name(name_) ? with_pattern(name_) : name_;
}

FilmWriter::~FilmWriter() {
  if (child_ == 0) return;
  kill(child_, SIGTERM);
  wait();
  std::remove(unfinished(name_).c_str());
}

void FilmWriter::start(const Picture& first) {
  std::vector<std::string> command{"ffmpeg",    "-y",
                                   "-loglevel", "error",
                                   "-f",        "rawvideo",
                                   "-pix_fmt",  "rgba",
                                   "-s",        fmt::format("{}x{}", first.width, first.height),
                                   "-r",        fmt::format("{:g}", rate_),
                                   "-i",        "-"};
  append_output(command, name_);
  command.push_back(unfinished(name_));
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_to_write(name_);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int failed =
      posix_spawn(&child_, encoder_.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  pipe_ = ends[1];
  if (failed == 0) return;
  child_ = 0;
  close(pipe_);
  fail_to_write(name_);
}

void FilmWriter::add(const Picture& picture) {
  if (encoder_.empty()) return write_png(picture, frame_path(pattern_, frames_++));
  if (child_ == 0) {
    std::signal(SIGPIPE, SIG_IGN);  // that ffmpeg ended is found by its exit status
    start(picture);
  }
  const auto* bytes = reinterpret_cast<const char*>(picture.pixels.data());
  std::size_t left = sizeof(picture.pixels[0]) * picture.pixels.size();
  while (left > 0) {
    const ssize_t written = write(pipe_, bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_write(name_);
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
  ++frames_;
}

bool FilmWriter::wait() {
  close(pipe_);
  int status = 0;
  const pid_t child = std::exchange(child_, 0);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string FilmWriter::finish() {
  if (child_ != 0) {
    const std::string part = unfinished(name_);
    if (wait() && std::rename(part.c_str(), name_.c_str()) == 0) return "";
    std::remove(part.c_str());
    fail_to_write(name_);
  }
  if (!is_video_name(name_)) return "";
  std::vector<std::string> output;
  append_output(output, name_);
  std::string command = fmt::format("ffmpeg -framerate {:g} -i {}", rate_, pattern_);
  for (const std::string& word : output)
    command += word.find('(') == word.npos ? " " + word : " '" + word + "'";
  return fmt::format("there is no ffmpeg; make {} of the pictures with: {} {}", name_, command,
                     name_);
}

}  // namespace skde::view
