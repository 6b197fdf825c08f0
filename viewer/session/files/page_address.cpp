
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
#include "viewer/session/files/export_files.hpp"

namespace skde::view {
namespace {

constexpr std::array<std::string_view, 4> kOwnFields{"kernel", "bandwidth", "weights", "sharpen"};
constexpr std::array<std::string_view, 3> kLeftOut{"columns", "engine", "device"};

std::string encoded(std::string_view text) {
  std::string all;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-._,:").find(letter) != std::string_view::npos;
    all += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return all;
}

std::string listed(const std::vector<double>& numbers) {
  return fmt::format("{:.12g}", fmt::join(numbers, ","));
}
std::string listed(const auto& place) {
  return listed(std::vector<double>{place.x, place.y, place.z});
}

/// Returns how the density is computed, on the grid that is shown.
std::string density_fields_of(const ViewScene& scene, ViewState state) {
  state.density.like = scene.density().grid();
  std::string own, more;
  for (const std::string& flag : density_arguments(state, scene.density().metadata.H)) {
    if (!flag.starts_with("--")) continue;
    const std::size_t sign = std::min(flag.find('='), flag.size());
    const std::string name = flag.substr(2, sign - 2);
    const std::string value = encoded(sign < flag.size() ? flag.substr(sign + 1) : "1");
    const bool is_rule = name == "bandwidth" && std::strtod(value.c_str(), nullptr) == 0;
    if (std::ranges::count(kLeftOut, name) > 0) continue;
    (std::ranges::count(kOwnFields, name) > 0 && !is_rule ? own : more) +=
        fmt::format("&{}={}", name, value);
  }
  const std::vector<std::string>& columns = state.cloud.columns.coordinates;
  for (std::size_t axis = 0; axis < columns.size(); ++axis)
    own += fmt::format("&{}={}", kAxisNames[axis], encoded(columns[axis]));
  return fmt::format("cells={}{}&more={}", std::ranges::max(state.density.like->dims), own,
                     encoded(more));
}

/// Returns colours and opacities, and the axis as shares of that up to the peak.
std::string color_fields(const TransferFunction& transfer, double peak) {
  const ValueAxis& axis = transfer.axis;
  const ValueAxis whole = axis_up_to(peak, axis.logarithmic);
  const auto share = [&](double value) {
    return axis.logarithmic ? std::log(value / whole.low) / std::log(whole.high / whole.low)
                            : (value - whole.low) / (whole.high - whole.low);
  };
  return fmt::format("colours={}&axis={}&low={:.12g}&high={:.12g}&opacities={}&opacity={:.12g}",
                     word_of(kColorMaps, transfer.colors),
                     axis.logarithmic ? "logarithmic" : "linear", share(axis.low), share(axis.high),
                     encoded(preset_name(transfer)), transfer.opacity_scale);
}

/// Returns the mode, with the densities of the surfaces: the page knows the masses alone more
/// exactly.
std::string mode_fields(const ViewScene& scene, const ViewState& state) {
  const bool surfaces = state.mode == RenderMode::isosurface;
  std::vector<double> levels = look_of(state, scene.view.volume).surfaces;
  if (surfaces && levels.empty()) levels = {state.transfer.axis.value_at(state.isovalue)};
  const std::string_view mode = state.sections.shown == SectionsShown::alone ? "slices"
                                : surfaces                                   ? "surfaces"
                                           : word_of(kRenderModes, state.mode);
  return fmt::format("mode={}&shading={:d}&masses={}&levels={}", mode, state.gradient_shading,
                     listed(state.masses), listed(levels));
}

/// Returns what is cut away, the cross-hair and the pins.
std::string place_fields(const Box& box, const ViewState& state) {
  const auto shares = [&](Vec3 place) {
    for (int axis = 0; axis < 3; ++axis)
      place[axis] = std::clamp((place[axis] - box.lower[axis]) / box.extent()[axis], 0.0, 1.0);
    return listed(place);
  };
  std::string text;
  if (const auto& clip = state.clip.box)
    text += fmt::format("&clip={},{}", shares(clip->lower), shares(clip->upper));
  if (state.sections.at) text += "&cross=" + shares(*state.sections.at);
  for (const Vec3& pin : state.pins)
    text += (&pin == state.pins.data() ? "&pins=" : ",") + listed(pin);
  return text;
}

}  // namespace

std::string page_address(const ViewScene& scene, const ViewState& state, const PixelRegion& part,
                         float scale) {
  if (!scene.has_density() || !scene.cloud() || state.cloud.paths.size() != 1 || reads_input(state))
    throw Error(ErrorKind::usage, "the page for browsers shows the density of one file of samples",
                {"share", "open one file of samples"});
  const std::string service = state.service.empty() ? kUsualService : state.service;
  Camera camera = state.camera;
  camera.orthographic = false;  // which the page has not
  const Perspective seen = scene.view.part(camera, part, scale).perspective;
  return fmt::format(
      "{}{}view#file={}&{}&{}&{}{}&box={:d}&samples={:d}&shape={}&flip={}&camera={},{},{}", service,
      service.ends_with('/') ? "" : "/",
      encoded(std::filesystem::path(state.cloud.paths[0]).filename().string()),
      density_fields_of(scene, state), mode_fields(scene, state),
      color_fields(state.transfer, scene.view.volume.peak()),
      place_fields(scene.density().grid().bounds(), state), state.appearance.axes,
      state.show_points, is_stretched(scene, state) ? "cube" : "true",
      drawn_flips(scene, state)[2] ? "down" : "up", listed(seen.eye()), listed(camera.focus),
      listed(seen.up()));
}

}  // namespace skde::view
