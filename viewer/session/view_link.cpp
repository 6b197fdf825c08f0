#include "viewer/session/view_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include "core/report/error.hpp"
#include "io/text/json_geometry.hpp"
#include "io/text/json_object.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {
namespace {

std::filesystem::path shared_folder() {
  const char* const session = std::getenv("XDG_RUNTIME_DIR");
  if (session != nullptr && session[0] == '/') return std::filesystem::path(session) / "skde-view";
  return std::filesystem::path(recent_state_path()).parent_path() / "linked";
}

/// Returns the part of a state that windows share, without opacities that follow each density.
ViewState shared_part(const ViewState& state) {
  ViewState shared;
  shared.camera = state.camera;
  shared.masses = state.masses;
  shared.isovalue = state.isovalue;
  const std::vector<ControlPoint> usual = shared.transfer.points();
  shared.transfer = state.transfer;
  if (state.transfer.follows_mass) shared.transfer.follow_mass(usual);
  return shared;
}

/// Returns the length of a camera's view at zoom 1, in world units.
double length_of(const SceneFrame& frame) {
  const glm::dvec3 unit = frame.unit();
  return frame.radius() * std::cbrt(std::abs(unit.x * unit.y * unit.z));
}

/// Shows a place (world units) in the middle, and a length about it, unless the place is far from
/// the box.
void look_at(Vec3 focus, double length, const SceneFrame& frame, Camera& camera) {
  const glm::dvec3 here = frame.to_scene(focus);
  if (!(glm::length(here) < 2 * frame.radius())) return;
  camera.focus = here;
  camera.zoom = std::clamp(length_of(frame) / length, Camera::kLeastZoom, Camera::kMostZoom);
}

}  // namespace

ViewLink::ViewLink(const ViewState& state, const std::function<void()>& wake) {
  const std::filesystem::path folder = shared_folder();
  std::error_code problem;  // told when the file cannot be written
  std::filesystem::create_directories(folder, problem);
  file_ = (folder / "view.json").string();
  window_ = std::random_device()();
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  changes_ = inotify_init1(IN_CLOEXEC);
  watched_ = inotify_add_watch(changes_, folder.c_str(), IN_MOVED_TO);
  const int error = errno;
  try {
    if (folder_ < 0 || watched_ < 0)
      throw Error(
          ErrorKind::output,
          fmt::format("cannot share the view in '{}': {}", folder.string(), std::strerror(error)),
          {"link", "make the folder writable, or set XDG_RUNTIME_DIR to one that is"});
    if (flock(folder_, LOCK_EX | LOCK_NB) == 0) tell(shared_part(state));
  } catch (...) {
    close(changes_);
    close(folder_);
    throw;
  }
  flock(folder_, LOCK_SH);
  watcher_ = std::thread([this, wake] {
    std::array<char, 4096> events{};
    while (read(changes_, events.data(), events.size()) > 0 && !ends_) {
      changed_ = true;
      wake();
    }
  });
}

ViewLink::~ViewLink() {
  ends_ = true;
  inotify_rm_watch(changes_, watched_);  // ends the read, too
  watcher_.join();
  close(changes_);
  close(folder_);
}

void ViewLink::tell(const ViewState& shared) const {
  nlohmann::ordered_json record{{"window", window_}, {"view", view_state_json(shared)}};
  record["focus"] = io::to_json(frame_.to_world(shared.camera.focus));
  record["length"] = length_of(frame_) / shared.camera.zoom;
  io::write_json(file_, record);
}

bool ViewLink::take(const ViewScene& scene, ViewState& state) const try {
  const nlohmann::ordered_json record = io::read_json(file_);
  if (record.at("window") == window_) return false;
  const ViewState shared = view_state_from(record.at("view"), file_);
  state.camera = shared.camera;
  look_at(io::vector_from(io::JsonObject(record, file_), record.at("focus"), "focus"),
          record.at("length"), frame_, state.camera);
  state.masses = shared.masses;
  state.isovalue = shared.isovalue;
  if (!shared_ || shared.transfer.axis != state.transfer.axis) state.axis_follows_density = false;
  state.transfer = shared.transfer;
  scene.fit_opacities(state);
  return true;
} catch (const std::exception&) {  // a file of another version
  return false;
}

bool ViewLink::exchange(const ViewScene& scene, ViewState& state) {
  if (scene.grid() == nullptr) return false;
  const Camera before = state.camera;
  const SceneFrame& frame = scene.view.frame();
  if (shared_ && frame != frame_)
    look_at(frame_.to_world(before.focus), length_of(frame_) / before.zoom, frame, state.camera);
  frame_ = frame;
  const bool taken = changed_.exchange(false) && take(scene, state);
  const ViewState shared = shared_part(state);
  if (!taken && shared_ && *shared_ != shared) tell(shared);
  shared_ = shared;
  return taken || state.camera != before;
}

std::string open_windows(const std::vector<std::vector<std::string>>& lists) {
  for (std::vector<std::string> words : lists) {
    words.insert(words.begin(), "skde-view");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = 0;
    if (const int error =
            posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ))
      return fmt::format("a window cannot be opened: {}", std::generic_category().message(error));
  }
  return {};
}

}  // namespace skde::view
