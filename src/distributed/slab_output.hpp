#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "distributed/rank_group.hpp"
#include "distributed/unfinished_file.hpp"
#include "io/bytes/output_file.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde {

/// A volume file of which every rank writes its slab in its place. It takes its name when it is
/// whole; the first rank removes it where that does not happen, also where a signal ends it.
class SlabOutput {
 public:
  /// Error(usage) where the format is none that several ranks write, Error(output) where the first
  /// rank cannot make the file.
  SlabOutput(const RankGroup& ranks, const std::string& path, const std::string& format,
             const PartialProblem& problem, const DensityMetadata& metadata);

  /// Where the file is written; of the first rank.
  std::string temporary() const { return pending_ ? pending_->temporary() : ""; }
  /// Writes the slices from z on; the first rank also what stands around the values.
  void write(SharedFile& file, std::int64_t z, const std::vector<std::int64_t>& sums,
             double factor) const;
  /// Puts the file in place; of the first rank alone.
  void commit();

 private:
  io::VolumeFrame frame_;
  std::string companion_path_;
  Grid grid_;
  Precision precision_;
  std::unique_ptr<io::PendingPath> pending_;
  std::unique_ptr<UnfinishedFile> unfinished_;
};

}  // namespace skde
