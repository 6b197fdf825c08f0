#include "viewer/window/film_writer.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "core/report/error.hpp"
#include "pictures/png_file.hpp"
#include "viewer/session/view_options.hpp"

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
  if (!child_) return;
  child_->close_pipe();
  child_->stop(SIGTERM);
  std::remove(unfinished(name_).c_str());
}

void FilmWriter::start(const Picture& first) {
  std::vector<std::string> command{encoder_,    "-y",
                                   "-loglevel", "error",
                                   "-f",        "rawvideo",
                                   "-pix_fmt",  "rgba",
                                   "-s",        fmt::format("{}x{}", first.width, first.height),
                                   "-r",        fmt::format("{:g}", rate_),
                                   "-i",        "-"};
  append_output(command, name_);
  command.push_back(unfinished(name_));
  child_.emplace(std::move(command), "", io::ChildProcess::Output::errors);
  if (child_->problem() != 0) fail_to_write(name_);
}

void FilmWriter::add(const Picture& picture) {
  if (encoder_.empty()) return write_png(picture, frame_path(pattern_, frames_++));
  if (!child_) {
    std::signal(SIGPIPE, SIG_IGN);  // that ffmpeg ended is found by its exit status
    start(picture);
  }
  const auto* bytes = reinterpret_cast<const char*>(picture.pixels.data());
  std::size_t left = sizeof(picture.pixels[0]) * picture.pixels.size();
  while (left > 0) {
    const ssize_t written = write(child_->pipe(), bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_write(name_);
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
  ++frames_;
}

std::string FilmWriter::finish() {
  if (child_) {
    const std::string part = unfinished(name_);
    child_->close_pipe();
    const bool written = child_->ended(true) == 0;
    child_.reset();
    if (written && std::rename(part.c_str(), name_.c_str()) == 0) return "";
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
