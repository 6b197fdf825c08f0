#include "commands/output/mean_volumes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "commands/output/category_sinks.hpp"
#include "core/report/error.hpp"

namespace skde::cli {
namespace {

constexpr std::string_view kMeanPlace = "{}";

bool is_file_each(const MeanOutput& output) {
  return output.pattern.find(kMeanPlace) != std::string::npos;
}

const io::VolumeFormat& format_of(const MeanOutput& output) {
  try {
    return io::volume_format_for(output.pattern, output.format);
  } catch (const Error& error) {
    if (!output.format.empty() || output.pattern == "-") throw;
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{}: means on a grid are a volume, but the extension is not that of a volume format",
            output.pattern),
        {"at",
         "use the extension of a volume format, such as .vti; or name points with `at` (the cloud "
         "itself for its own)"});
  }
}

}  // namespace

std::vector<std::string> mean_names(const std::vector<std::string>& columns, MeanChoice choice) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    if (choice != MeanChoice::deviation) names.push_back(column + "_mean");
    if (choice != MeanChoice::mean) names.push_back(column + "_deviation");
  }
  return names;
}

void check_mean_output(const MeanOutput& output, std::size_t columns) {
  const std::size_t fields = columns * (output.choice == MeanChoice::both ? 2 : 1);
  if (output.pattern != "-" && !is_file_each(output) && fields > 1 &&
      !format_of(output).open_fields)
    throw Error(ErrorKind::usage,
                fmt::format("-o {}: a file of {} holds only one volume, but these are {}",
                            output.pattern, format_of(output).name, fields),
                {"of",
                 "name one file each, with {} for the quantity, or one file of vti or netcdf; or "
                 "choose one column's `of=mean`"});
  if (output.pattern != "-") format_of(output);
  MeanOutput any = output;
  if (is_file_each(output))
    any.pattern.replace(any.pattern.find(kMeanPlace), kMeanPlace.size(), "mean");
  const VolumeOutput volume(any.pattern, any.format, any.read);
  if (volume.is_standard_output() && fields > 1 && !volume.format().open_fields)
    throw Error(ErrorKind::usage,
                fmt::format("-o -: {} holds only one volume, but these are {}",
                            volume.format().name, fields),
                {"of", "choose one column's `of=mean`, or `format=vti`"});
}

MeanVolumes::MeanVolumes(MeanOutput output, const std::vector<std::string>& columns,
                         FileNotes notes)
    : output_(std::move(output)),
      notes_(std::move(notes)),
      names_(mean_names(columns, output_.choice)) {
  std::vector<std::string> paths{output_.pattern};
  if (is_file_each(output_)) paths = category_paths(output_.pattern, names_);
  volumes_.reserve(paths.size());
  for (const std::string& path : paths) volumes_.emplace_back(path, output_.format, output_.read);
}

void MeanVolumes::expect(const Grid& grid, Precision precision) {
  Grid all = grid;
  all.dims[2] *= static_cast<std::int64_t>(names_.size());
  if (!volumes_.front().is_standard_output())
    volumes_.front().format().require_room(volumes_.front().path(), all, precision);
}

void MeanVolumes::take(std::size_t column, const MeanGridFacts& facts, const Volume& means,
                       const Volume& deviations, Progress& progress) {
  const bool is_one_file = volumes_.size() == 1 && names_.size() > 1;
  if (is_one_file && column == 0) {
    common_ = file_metadata(facts.facts, notes_);
    common_.values = "means";
    VolumeOutput& volume = volumes_.front();
    writer_ = volume.format().open_fields(volume.path(), means.grid(), means.precision(), names_,
                                          common_);
  }
  if (output_.choice != MeanChoice::deviation) write(means, facts.facts, progress);
  if (output_.choice != MeanChoice::mean) write(deviations, facts.facts, progress);
}

void MeanVolumes::write(const Volume& values, const DensityFacts& facts, Progress& progress) {
  const std::size_t index = next_++;
  DensityMetadata metadata = file_metadata(facts, notes_);
  metadata.values = names_[index];
  if (writer_) {
    writer_->write(values.value_span(), progress);
    writer_->describe(index, std::move(metadata));
    return;
  }
  VolumeOutput& volume = volumes_[index];
  volume.format().write(volume.path(), values, metadata, progress);
  for (WrittenFile& file : volume.deliver(progress)) written_.push_back(std::move(file));
}

void MeanVolumes::finish(Progress& progress) {
  if (!writer_) return;
  writer_->finish(common_, progress);
  written_ = volumes_.front().deliver(progress);
}

}  // namespace skde::cli
