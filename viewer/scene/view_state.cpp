#include "viewer/scene/view_state.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "core/report/error.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {

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

void take_request(const ViewState& from, ViewState& state) {
  state.cloud = from.cloud;
  state.reading = from.reading;
  state.time = from.time;
  state.density = from.density;
  state.within = from.within;
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

double compared_h(const CompareState& compare) {
  return compare.with.starts_with("h=") ? std::strtod(compare.with.c_str() + 2, nullptr) : 0;
}

void compare_bandwidths(ViewState& state, double h) {
  if (!(compared_h(state.compare) > 0)) {
    state.layout = ViewLayout::slices;
    state.compare.as = CompareAs::side;
  }
  state.compare.with = fmt::format("h={:.4g}", h);
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

}  // namespace skde::view
