#include "viewer/view_state.hpp"

namespace skde::view {

ViewState::ViewState() = default;

DensityRequest density_request(const ViewState& state) {
  DensityRequest request;
  request.kernel = state.kernel;
  request.bandwidth = state.bandwidth;
  request.grid = state.grid;
  request.like = state.like;
  request.normalization = state.normalization;
  request.engine = state.engine;
  request.device = state.device;
  request.options = state.engine_options;
  return request;
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
