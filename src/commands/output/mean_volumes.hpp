#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/regression_grid.hpp"
#include "commands/output/density_sinks.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/words.hpp"
#include "estimate/density_facts.hpp"

namespace skde::cli {

/// What of a column's values is written.
enum class MeanChoice : std::uint8_t { both, mean, deviation };
inline constexpr Words<MeanChoice, 3> kMeanChoices{
    {{"both", MeanChoice::both}, {"mean", MeanChoice::mean}, {"deviation", MeanChoice::deviation}}};

/// The names of what is written of each of these columns, in their order.
std::vector<std::string> mean_names(const std::vector<std::string>& columns, MeanChoice choice);

/// Where volumes of means go: a file each, of whose paths `{}` is their name, or one of all.
struct MeanOutput {
  std::string pattern, format;
  MeanChoice choice = MeanChoice::both;
  std::vector<std::string> read;  ///< files that are not to be overwritten
};
/// Error(usage) and what VolumeOutput throws, before anything is read.
void check_mean_output(const MeanOutput& output, std::size_t columns);

/// Volumes of means, column by column. Each file appears whole or not at all.
class MeanVolumes {
 public:
  MeanVolumes(MeanOutput output, const std::vector<std::string>& columns, FileNotes notes);

  /// Error(output) where the disk has no room for all.
  void expect(const Grid& grid, Precision precision);
  void take(std::size_t column, const MeanGridFacts& facts, const Volume& means,
            const Volume& deviations, Progress& progress);
  void finish(Progress& progress);
  const std::vector<WrittenFile>& written() const { return written_; }

 private:
  void write(const Volume& values, const DensityFacts& facts, Progress& progress);

  MeanOutput output_;
  FileNotes notes_;
  std::vector<std::string> names_;
  std::vector<VolumeOutput> volumes_;
  std::unique_ptr<io::FieldsWriter> writer_;  ///< of all in one file
  DensityMetadata common_;
  std::size_t next_ = 0;
  std::vector<WrittenFile> written_;
};

}  // namespace skde::cli
