#include "commands/output/density_sinks.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "commands/output/picture_flags.hpp"
#include "core/space/projection.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/projection_picture.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
DensityMetadata file_metadata(const DensityFacts& facts, const FileNotes& notes) {
  DensityMetadata metadata = describe(facts, notes.units);
  metadata.command_line = notes.command_line;
  metadata.version = notes.version;
  metadata.category = notes.category;
  metadata.category_share = notes.category_share;
  return metadata;
}

DensityFiles::DensityFiles(VolumeOutput* volume, PictureFile picture, FileNotes notes)
    : volume_(volume), picture_(std::move(picture)), notes_(std::move(notes)) {}

DensityFiles::~DensityFiles() = default;

std::int64_t DensityFiles::held_bytes(const Grid& grid, Precision precision) const {
  const std::int64_t kept = volume_ ? volume_->format().held_beyond(grid, precision) : 0;
  if (picture_.path.empty()) return kept;
  const std::int64_t whole = picture_.look.masses.empty() ? 0 : grid.bytes(precision);
  return kept + whole + MaximumProjector::held_bytes(grid.dims, precision) +
         picture_bytes(grid.dims);
}

void DensityFiles::expect(const Grid& grid, Precision precision) {
  Grid all = grid;
  if (notes_.standard_error) all.dims[2] *= 2;
  if (volume_ && !volume_->is_standard_output())
    volume_->format().require_room(volume_->path(), all, precision);
}

void DensityFiles::begin(const DensityFacts& facts) {
  nothing_to_clean_up_.reset();
  slices_ = facts.grid.dims[2];
  const StopWatch watch;
  const DensityMetadata metadata = file_metadata(facts, notes_);
  if (volume_ && notes_.standard_error) {
    auto fields = volume_->format().open_fields(volume_->path(), facts.grid, facts.precision,
                                                io::with_standard_errors({"density"}), metadata);
    fields_ = fields.get();
    writer_ = std::move(fields);
  } else if (volume_) {
    writer_ = volume_->open(facts.grid, facts.precision, metadata, facts.memory.is_whole());
  }
  if (!picture_.path.empty())
    projector_ = std::make_unique<MaximumProjector>(
        facts.grid.dims, metadata.values.empty() ? Extreme::greatest : Extreme::furthest);
  if (!picture_.look.masses.empty()) whole_.emplace(facts.grid, facts.precision);
  add_stages(stages_, {{"writing", watch.seconds()}});
}

void DensityFiles::take(std::int64_t z, const Volume& slices, Progress& progress) {
  const StopWatch writing;
  if (writer_) writer_->write(slices.value_span(), progress);
  add_stages(stages_, {{"writing", writing.seconds()}});
  if (z >= slices_) return;
  const StopWatch projecting;
  if (projector_) projector_->add(z, slices);
  if (whole_)
    std::visit(
        [&]<class Real>(std::span<const Real> values) {
          const auto before = z * slices.grid().dims[0] * slices.grid().dims[1];
          std::ranges::copy(values, whole_->values<Real>().begin() + before);
        },
        slices.value_span());
  if (projector_) add_stages(stages_, {{"picture", projecting.seconds()}});
}

void DensityFiles::finish(const DensityFacts& facts, Progress& progress) {
  const DensityMetadata metadata = file_metadata(facts, notes_);
  const StopWatch writing;
  if (fields_) io::describe_with_errors(*fields_, 0, metadata);
  if (writer_) {
    writer_->finish(metadata, progress);
    written_ = volume_->deliver(progress);
  }
  add_stages(stages_, {{"writing", writing.seconds()}});
  if (!projector_) return;
  const StopWatch drawing;
  const bool is_density = metadata.values.empty();
  ProjectionSheet sheet{is_density ? "Kernel density, maximum projections"
                                   : "Sum of signed kernels, projections of extreme values",
                        {""},
                        {projector_->take_projections()}};
  sheet.marks.emplace_back();
  if (whole_) sheet.marks[0].lines = mass_lines(picture_.look, *whole_, metadata);
  if (picture_.samples) sheet.marks[0].samples = picture_.samples();
  const std::string lacked =
      write_projection_sheet(picture_.path, sheet, facts.grid, metadata, picture_.look);
  written_.push_back(written_picture(picture_.path, lacked, progress));
  const std::string z = axis_name(metadata, 2);
  if (drawn_flips(picture_.look.flipped, z, facts.grid.bounds())[2])
    written_.back().note = ", " + z + " grows downwards";
  add_stages(stages_, {{"picture", drawing.seconds()}});
}

}  // namespace skde::cli
