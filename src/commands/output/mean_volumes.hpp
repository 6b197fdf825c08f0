#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/regression_grid.hpp"
#include "commands/output/density_output.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/words.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde::cli {

/// What is written for each column of values.
enum class MeanChoice : std::uint8_t { both, mean, deviation };
inline constexpr Words<MeanChoice, 3> kMeanChoices{
    {{"both", MeanChoice::both}, {"mean", MeanChoice::mean}, {"deviation", MeanChoice::deviation}}};

/// Returns the names of the outputs of these columns, in their order.
std::vector<std::string> mean_names(const std::vector<std::string>& columns, MeanChoice choice);

/// Output of volumes of means: one file each, with its name in place of `{}` in the path, or one
/// file for all.
struct MeanOutput {
  std::string pattern, format;
  MeanChoice choice = MeanChoice::both;
  std::vector<std::string> read;  ///< files that must not be overwritten
};
/// Throws Error(usage), and what VolumeOutput throws, before anything is read.
void check_mean_output(const MeanOutput& output, std::size_t columns);

/// Writes volumes of means, column by column. Each file appears whole or not at all.
class MeanVolumes {
 public:
  MeanVolumes(MeanOutput output, const std::vector<std::string>& columns, FileNotes notes);

  /// Throws Error(output) if the disk has no room for all.
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
  std::unique_ptr<io::FieldsWriter> writer_;  ///< if all are in one file
  DensityMetadata common_;
  std::size_t next_ = 0;
  std::vector<WrittenFile> written_;
};

}  // namespace skde::cli
