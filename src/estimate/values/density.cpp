#include "estimate/values/density.hpp"

#include <optional>
#include <utility>

#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde {

struct Density::State {
  DensityFacts facts;
  BufferLease values;
  std::optional<Volume> host_copy;
};

Density::Density() : state_(std::make_unique<State>()) {}
Density::Density(DensityFacts facts, DensityMetadata described, BufferLease values)
    : metadata(std::move(described)),
      state_(std::make_unique<State>(State{std::move(facts), std::move(values), {}})) {}
Density::Density(Density&& other) noexcept = default;
Density& Density::operator=(Density&& other) noexcept = default;
Density::~Density() = default;

const DensityFacts& Density::facts() const { return state_->facts; }
DensityFacts& Density::facts() { return state_->facts; }
const BufferLease& Density::values() const { return state_->values; }
BufferLease& Density::values() { return state_->values; }
const Grid& Density::grid() const { return state_->facts.grid; }
Kernel Density::kernel() const { return {metadata.kernel, metadata.H}; }

const Volume& Density::volume() {
  if (const Volume* const on_host = state_->values->on_host()) return *on_host;
  if (!state_->host_copy) state_->host_copy = state_->values->take_volume();
  return *state_->host_copy;
}

double Density::at(Vec3 world) { return volume().at(world); }

Volume Density::take_volume() { return state_->values->take_volume(); }

void Density::write(const std::string& path, Progress& progress) {
  io::volume_format_for(path).write(path, volume(), metadata, progress);
}

void Density::write(const std::string& path) {
  NoProgress silent;
  write(path, silent);
}

DensityMetadata describe(const DensityFacts& facts, const std::string& units) {
  DensityMetadata metadata;
  if (facts.problem.signed_weights) metadata.values = kSignedDensity;
  metadata.kernel = facts.kernel.function;
  metadata.H = facts.kernel.H;
  metadata.h = facts.bandwidth.h;
  metadata.bandwidth_source = facts.bandwidth.source;
  if (facts.adaptive) metadata.adaptive = facts.adaptive->alpha;
  metadata.sharpened = facts.request.sharpen;
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
  metadata.cells = facts.request.cells;
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

}  // namespace skde
