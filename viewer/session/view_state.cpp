#include "viewer/session/view_state.hpp"

#include <utility>

#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/volumes/volume_formats.hpp"
#include "viewer/session/view_fields.hpp"

namespace skde::view {
namespace {

/// Copies the fields that mean nothing for other samples.
void take_of_cloud(const ViewState& from, ViewState& state) {
  for (const ViewField* const field : state_fields())
    if (field->of_cloud) field->copy(from, state);
}

}  // namespace

ViewState::ViewState() = default;

DensityOptions density_of(const ViewState& state) {
  DensityOptions density;
  density.files = state.cloud;
  density.request = state.density;
  density.units = state.units;
  return density;
}

void keep_density(DensityOptions density, ViewState& state) {
  if (!density.request.options.devices.empty())
    throw Error(ErrorKind::usage, "the viewer shows what one GPU computes",
                {"device", "choose one with `device`"});
  state.cloud = std::move(density.files);
  state.density = std::move(density.request);
  state.units = std::move(density.units);
}

void forget_cloud(ViewState& state) {
  state.cloud.paths.clear();
  // The kernel of splats and of mixtures belongs to them and to no other cloud.
  if (io::are_gaussians(state.cloud.columns.widths) &&
      state.density.kernel == KernelFunction::gaussian)
    state.density.kernel = {};
  state.cloud.columns = {};
  state.units.clear();
  DensityRequest& density = state.density;
  density.like.reset();
  density.grid.bounds.reset();
  density.grid.whole_cloud = false;
  density.grid.spacing.reset();
  BandwidthSpec& spec = density.bandwidth;
  const bool relative = std::holds_alternative<BandwidthRule>(spec.bandwidth) ||
                        (std::holds_alternative<double>(spec.bandwidth) &&
                         spec.form != CovarianceForm::iso && !spec.covariance);
  if (!relative) spec.bandwidth = BandwidthRule::automatic;
  spec.covariance.reset();
  take_of_cloud(ViewState(), state);
  state.compare.with.clear();
  state.time = {};
  state.within.clear();
}

void take_request(const ViewState& from, ViewState& state) {
  state.cloud = from.cloud;
  state.reading = from.reading;
  state.time = from.time;
  state.density = from.density;
  state.within = from.within;
}

void take_places(const ViewState& from, ViewState& state) {
  state.units = from.units;
  state.transfer.axis = from.transfer.axis;
  take_of_cloud(from, state);
}

void adopt_look(const ViewState& other, ViewState& state) {
  ViewState look = other;
  take_request(state, look);
  take_places(state, look);
  look.compare = state.compare;
  if (state.transfer.axis.logarithmic != other.transfer.axis.logarithmic)
    look.transfer.axis = axis_up_to(state.transfer.axis.high, other.transfer.axis.logarithmic);
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

void start_mode(ViewState& state) {
  if (state.mode == RenderMode::isosurface && state.masses.empty()) state.masses = kFirstMasses;
}

void show_volume(ViewState& state) {
  if (shows_method(state.layout)) state.layout = ViewLayout::volume;
}

void estimate_on_selection(ViewState& state) {
  if (state.selection) state.within.push_back(std::move(*state.selection));
  state.selection.reset();
}

bool same_density(const ViewState& a, const ViewState& b) {
  return a.cloud == b.cloud && a.reading == b.reading && a.time == b.time &&
         a.density == b.density && a.within == b.within;
}

VolumeLook volume_look(const ViewState& state, std::size_t colors) {
  VolumeLook look;
  look.mode = state.mode;
  look.axis = state.transfer.axis;
  look.colors = state.transfer.table(colors);
  look.gradient_shading = state.gradient_shading;
  look.isovalue = state.isovalue;
  look.quality = state.quality;
  look.clip = state.clip;
  return look;
}

}  // namespace skde::view
