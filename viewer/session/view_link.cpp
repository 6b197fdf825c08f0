#include "viewer/session/view_link.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/report/error.hpp"
#include "io/text/json_object.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_rows.hpp"
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

}  // namespace

/// Returns the camera by which a window shows the same part of the world as another one, if their
/// boxes meet; else the same camera.
Camera ViewLink::camera_in(const Stage& stage, const Camera& camera, const Stage& other) {
  const glm::dvec3 units = other.unit / stage.unit,
                   middle = (other.middle - stage.middle) / stage.unit;
  const double radius = std::cbrt(std::abs(units.x * units.y * units.z)) * other.radius;
  if (!(glm::length(middle) < stage.radius + radius)) return camera;
  Camera moved = camera;
  moved.focus = middle + units * camera.focus;
  moved.zoom =
      std::clamp(camera.zoom * stage.radius / radius, Camera::kLeastZoom, Camera::kMostZoom);
  return moved;
}

ViewLink::ViewLink(const ViewState& state, const std::function<void()>& wake) {
  const std::filesystem::path folder = shared_folder();
  std::error_code problem;  // told when the file cannot be written
  std::filesystem::create_directories(folder, problem);
  file_ = (folder / "view.json").string();
  std::random_device random;
  window_ = random();
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (flock(folder_, LOCK_EX | LOCK_NB) == 0) write(shared_part(state));
  flock(folder_, LOCK_SH);
  changes_ = inotify_init1(IN_CLOEXEC);
  watched_ = inotify_add_watch(changes_, folder.c_str(), IN_MOVED_TO);
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

void ViewLink::write(const ViewState& shared) const {
  nlohmann::ordered_json record{{"window", window_}, {"view", view_state_json(shared)}};
  if (stage_)
    record["stage"] = {{"middle", json_of(stage_->middle)},
                       {"unit", json_of(stage_->unit)},
                       {"radius", stage_->radius}};
  io::write_json(file_, record);
}

bool ViewLink::take(const ViewScene& scene, ViewState& state) const try {
  const nlohmann::ordered_json record = io::read_json(file_);
  io::JsonObject object(record, file_);
  std::uint64_t window = 0;
  object.read_whole("window", window, 0);
  if (window == window_) return false;
  const ViewState shared = view_state_from(record.at("view"), file_);
  state.camera = shared.camera;
  if (const auto* const stage = object.find("stage")) {
    const auto part = [&](const char* name) {
      const std::vector<double> v = object.numbers(stage->at(name), name, 3);
      return glm::dvec3(v[0], v[1], v[2]);
    };
    state.camera =
        camera_in(*stage_, shared.camera, {part("middle"), part("unit"), stage->at("radius")});
  }
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
  const SceneFrame& frame = scene.view.frame();
  const Vec3 middle = frame.to_world(glm::dvec3(0));
  const Stage stage{{middle.x, middle.y, middle.z}, frame.unit(), frame.radius()};
  const Camera before = state.camera;
  if (stage_ && *stage_ != stage) state.camera = camera_in(stage, state.camera, *stage_);
  stage_ = stage;
  const bool taken = changed_.exchange(false) && take(scene, state);
  const ViewState shared = shared_part(state);
  if (!taken && shared_ && *shared_ != shared) write(shared);
  shared_ = shared;
  return taken || state.camera != before;
}

void open_windows(const std::vector<std::vector<std::string>>& lists) {
  for (std::vector<std::string> words : lists) {
    words.insert(words.begin(), "skde-view");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = 0;
    posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  }
}

}  // namespace skde::view
