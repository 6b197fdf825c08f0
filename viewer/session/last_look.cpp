#include "viewer/session/last_look.hpp"

#include <utility>

#include "io/points/columns/width_columns.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {

void adopt_look(const ViewState& other, ViewState& state) {
  ViewState look = other;
  take_request(state, look);
  take_places(state, look);
  look.compare = state.compare;
  if (state.transfer.axis.logarithmic != other.transfer.axis.logarithmic)
    look.transfer.axis = axis_up_to(state.transfer.axis.high, other.transfer.axis.logarithmic);
  look.point_look.size = other.point_look.size;
  look.appearance = state.appearance;
  look.appearance.theme = other.appearance.theme;
  look.appearance.format = other.appearance.format;
  look.camera = state.camera;
  look.proportions = state.proportions;
  look.axis_factors = state.axis_factors;
  look.flipped = state.flipped;
  if (!io::first_volume(state.cloud.paths, state.cloud.open).empty()) look.layout = state.layout;
  state = std::move(look);
}

ViewState reset_all(const ViewState& state) {
  ViewState fresh;
  fresh.cloud = state.cloud;
  if (io::are_gaussians(fresh.cloud.columns.widths))
    fresh.density.kernel = KernelFunction::gaussian;
  fresh.reading = state.reading;
  fresh.units = state.units;
  if (!io::first_volume(state.cloud.paths, state.cloud.open).empty())
    fresh.layout = ViewLayout::volume;
  return fresh;
}

}  // namespace skde::view
