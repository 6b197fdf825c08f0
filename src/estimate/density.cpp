#include "estimate/density.hpp"

namespace skde {

DensityMetadata describe(const DensityFacts& facts, const std::string& units) {
  DensityMetadata metadata;
  metadata.kernel = facts.kernel.function;
  metadata.H = facts.kernel.H;
  metadata.h = facts.bandwidth.h;
  metadata.bandwidth_source = facts.bandwidth.source;
  if (facts.adaptive) metadata.adaptive = facts.adaptive->alpha;
  metadata.samples = facts.moments.count();
  metadata.total_weight = facts.moments.total_weight();
  metadata.effective_samples = facts.moments.effective_samples();
  metadata.mass_in_box = facts.mass_in_box;
  metadata.error_bound = facts.error_bound;
  if (facts.measured) {
    metadata.measured_error = facts.measured->error;
    metadata.measured_cells = facts.measured->cells;
  }
  for (const Warning& warning : facts.warnings) metadata.warnings.push_back(warning.problem);
  metadata.normalization = facts.normalization;
  metadata.boundaries = facts.boundaries;
  metadata.engine = facts.engine;
  metadata.units = units.empty() ? facts.columns.units() : units;
  metadata.frame = facts.columns.frame;
  metadata.where = facts.columns.where;
  metadata.axis_names = facts.columns.axis_names();
  if (facts.columns.units_differ() && !units.empty())
    for (std::size_t axis = 0; axis < 3; ++axis)
      metadata.axis_names[axis] = facts.columns.xyz[axis].quantity;
  return metadata;
}

const Volume& Density::volume() {
  if (const Volume* const on_host = values->on_host()) return *on_host;
  if (!host_copy_) host_copy_ = values->take_volume();
  return *host_copy_;
}

}  // namespace skde
