#include "viewer/session/files/page_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/report/error.hpp"
#include "pictures/color_map.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/density_requests.hpp"
#include "viewer/session/files/density_command_line.hpp"

namespace skde::view {
namespace {

constexpr std::array<std::string_view, 4> kOwnFields{"kernel", "bandwidth", "weights", "sharpen"};
constexpr std::array<std::string_view, 3> kLeftOut{"columns", "engine", "device"};

/// What an address says behind its #.
struct PageFields {
  std::string text{};

  void add(std::string_view name, std::string_view value) {
    text += fmt::format("{}{}=", text.empty() ? "" : "&", name);
    for (const char letter : value) {
      const auto byte = static_cast<unsigned char>(letter);
      const bool plain = std::isalnum(byte) != 0 ||
                         std::string_view("-._,:").find(letter) != std::string_view::npos;
      text += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
    }
  }
  void add(std::string_view name, const std::vector<double>& numbers) {
    add(name, fmt::format("{:.12g}", fmt::join(numbers, ",")));
  }
};

std::vector<double> numbers_of(const auto&... places) {
  std::vector<double> all;
  (all.insert(all.end(), {places.x, places.y, places.z}), ...);
  return all;
}

/// Adds how the density is computed, on the grid that is shown.
void add_density(const ViewScene& scene, ViewState state, PageFields& fields) {
  const Grid& grid = scene.density().grid();
  state.density.like = grid;
  PageFields more;
  for (const std::string& flag : density_arguments(state, scene.density().metadata.H)) {
    if (!flag.starts_with("--")) continue;
    const std::size_t sign = std::min(flag.find('='), flag.size());
    const std::string name = flag.substr(2, sign - 2);
    const std::string value = sign < flag.size() ? flag.substr(sign + 1) : "1";
    const bool is_rule = name == "bandwidth" && std::strtod(value.c_str(), nullptr) == 0;
    if (std::ranges::count(kLeftOut, name) > 0) continue;
    (std::ranges::count(kOwnFields, name) > 0 && !is_rule ? fields : more).add(name, value);
  }
  const std::vector<std::string>& columns = state.cloud.columns.coordinates;
  for (std::size_t axis = 0; axis < columns.size(); ++axis)
    fields.add(std::string_view("xyz").substr(axis, 1), columns[axis]);
  fields.add("cells", fmt::format("{}", std::ranges::max(grid.dims)));
  fields.add("more", more.text);
}

/// Adds colours and opacities, and the axis as shares of that up to the peak.
void add_colors(const TransferFunction& transfer, double peak, PageFields& fields) {
  const ValueAxis& axis = transfer.axis;
  const ValueAxis whole = axis_up_to(peak, axis.logarithmic);
  const auto share = [&](double value) {
    return axis.logarithmic ? std::log(value / whole.low) / std::log(whole.high / whole.low)
                            : (value - whole.low) / (whole.high - whole.low);
  };
  fields.add("colours", word_of(kColorMaps, transfer.colors));
  fields.add("axis", axis.logarithmic ? "logarithmic" : "linear");
  fields.add("low", std::vector{share(axis.low)});
  fields.add("high", std::vector{share(axis.high)});
  fields.add("opacities", preset_name(transfer));
  fields.add("opacity", std::vector{transfer.opacity_scale});
}

/// Adds the mode, with the densities of the surfaces: the page knows the masses alone more exactly.
void add_mode(const ViewScene& scene, const ViewState& state, PageFields& fields) {
  const bool sliced = state.sections.shown == SectionsShown::alone;
  const bool surfaces = state.mode == RenderMode::isosurface;
  fields.add("mode", sliced ? "slices" : surfaces ? "surfaces" : word_of(kRenderModes, state.mode));
  if (!state.masses.empty()) fields.add("masses", state.masses);
  std::vector<double> levels = look_of(state, scene.view.volume).surfaces;
  if (surfaces && levels.empty()) levels = {state.transfer.axis.value_at(state.isovalue)};
  if (!levels.empty()) fields.add("levels", levels);
  fields.add("shading", state.gradient_shading ? "1" : "0");
}

/// Adds what is cut away, the cross-hair and the pins.
void add_places(const ViewScene& scene, const ViewState& state, PageFields& fields) {
  const Box box = scene.density().grid().bounds();
  const auto shares = [&](Vec3 place) {
    Vec3 share = place;
    for (int axis = 0; axis < 3; ++axis)
      share[axis] = std::clamp((place[axis] - box.lower[axis]) / box.extent()[axis], 0.0, 1.0);
    return share;
  };
  if (const auto& clip = state.clip.box)
    fields.add("clip", numbers_of(shares(clip->lower), shares(clip->upper)));
  if (state.sections.at) fields.add("cross", numbers_of(shares(*state.sections.at)));
  std::vector<double> pins;
  for (const Vec3& pin : state.pins) pins.insert(pins.end(), {pin.x, pin.y, pin.z});
  if (!pins.empty()) fields.add("pins", pins);
}

}  // namespace

std::string page_address(const ViewScene& scene, const ViewState& state, const PixelRegion& part,
                         float scale) {
  if (!scene.has_density() || !scene.cloud() || state.cloud.paths.size() != 1 || reads_input(state))
    throw Error(ErrorKind::usage, "the page for browsers shows the density of one file of samples",
                {"share", "open one file of samples"});
  PageFields fields;
  fields.add("file", std::filesystem::path(state.cloud.paths[0]).filename().string());
  add_density(scene, state, fields);
  add_mode(scene, state, fields);
  add_colors(state.transfer, scene.view.volume.peak(), fields);
  add_places(scene, state, fields);
  fields.add("box", state.appearance.axes ? "1" : "0");
  fields.add("samples", state.show_points ? "1" : "0");
  fields.add("shape", is_stretched(scene, state) ? "cube" : "true");
  fields.add("flip", state.flipped[2] ? "down" : "up");
  Camera camera = state.camera;
  camera.orthographic = false;  // which the page has not
  const Perspective seen = scene.view.part(camera, part, scale).perspective;
  fields.add("camera", numbers_of(seen.eye(), camera.focus, seen.up()));
  const std::string end = state.service.ends_with('/') ? "" : "/";
  return fmt::format("{}{}view#{}", state.service, end, fields.text);
}

}  // namespace skde::view
