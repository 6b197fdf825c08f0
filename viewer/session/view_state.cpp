#include "viewer/session/view_state.hpp"

namespace skde::view {

ViewState::ViewState() = default;

bool same_density(const ViewState& a, const ViewState& b) {
  return a.cloud == b.cloud && a.density == b.density;
}

VolumeLook volume_look(const ViewState& state, std::size_t colors) {
  VolumeLook look;
  look.mode = state.mode;
  look.axis = state.transfer.axis;
  look.colors = state.transfer.table(colors);
  look.gradient_shading = state.gradient_shading;
  look.isovalue = state.isovalue;
  look.quality = state.quality;
  return look;
}

}  // namespace skde::view
