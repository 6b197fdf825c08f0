#include "viewer/session/view_state.hpp"

namespace skde::view {

ViewState::ViewState() = default;

bool same_density(const ViewState& a, const ViewState& b) {
  return a.cloud == b.cloud && a.kernel == b.kernel && a.bandwidth == b.bandwidth &&
         a.grid == b.grid && a.like == b.like && a.normalization == b.normalization &&
         a.engine == b.engine && a.device == b.device && a.engine_options == b.engine_options;
}

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
