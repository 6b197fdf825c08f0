#include "viewer/session/options/topic_options.hpp"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "cli/exit_code.hpp"
#include "core/report/number_list.hpp"

namespace skde::view {
namespace {

double parse_apart(const std::string& given) {
  const double apart = RealNumber(0)(given);
  if (!(apart >= MethodState::kLeastApart && apart <= MethodState::kMostApart))
    cli::usage_error(fmt::format("must be from {:g} to {:g}; got '{}'", MethodState::kLeastApart,
                                 MethodState::kMostApart, given));
  return apart;
}

}  // namespace

void parse_camera(const std::string& given, Camera& camera) {
  const std::vector<double> v = parse_finite_list(given, 3);
  if (v.empty() || std::abs(v[1]) > 90 || v[2] < Camera::kLeastZoom || v[2] > Camera::kMostZoom)
    cli::usage_error(
        fmt::format("must be AZIMUTH,ELEVATION,ZOOM: degrees, degrees from -90 to 90, and a factor "
                    "above 0; got '{}'",
                    given));
  camera.azimuth = v[0];
  camera.elevation = v[1];
  camera.zoom = v[2];
}

void add_method_flags(cli::OptionTable& table, ViewState& state) {
  table.value({.name = "sample",
               .value = "N",
               .help = "index of the sample that the method shows, from 0",
               .by_default = "0"},
              state.sample, WholeNumber(0));
  table.value({.name = "slice",
               .value = "N",
               .help = "index of the grid's z slice to show face on, from 0",
               .by_default = "through the sample"},
              state.slice, WholeNumber(0));
  table.flag({.name = "full-slices",
              .help = "the method shows whole slices, instead of what lies around the kernel"},
             state.show_full_slices);
  table.value({.name = "apart",
               .value = "FACTOR",
               .help = "draws the method's slices this many times as far apart as they are, "
                       "1 to 20",
               .by_default = "1"},
              state.method.apart, parse_apart);
  table.value({.name = "method-camera",
               .value = "AZ,EL,ZOOM",
               .help = "camera of the method's stacks, as --camera is that of the volume",
               .by_default = "-60,25,1"},
              state.method.camera, [&state](const std::string& given) {
                parse_camera(given, state.method.camera);
                return state.method.camera;
              });
  table.flag({.name = "play",
              .help = "the method goes on by itself in a window, slice by slice and sample by "
                      "sample"},
             state.method.plays);
}

}  // namespace skde::view
