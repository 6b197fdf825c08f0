#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/partial_sums.hpp"
#include "distributed/rank_group.hpp"
#include "distributed/unfinished_file.hpp"
#include "io/bytes/output_file.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde {

/// A volume file into which every rank writes its slab. It gets its name when it is complete;
/// otherwise the first rank removes it, even if a signal ends that rank.
class SlabOutput {
 public:
  /// Throws Error(usage) if several ranks cannot write the format, and Error(output) if the first
  /// rank cannot make the file.
  SlabOutput(const RankGroup& ranks, const std::string& path, const std::string& format,
             const PartialProblem& problem, const DensityMetadata& metadata);

  /// Returns where the file is written; only on the first rank.
  std::string temporary() const { return pending_ ? pending_->temporary() : ""; }
  /// Writes the slices from z on; the first rank also writes what surrounds the values.
  void write(SharedFile& file, std::int64_t z, const std::vector<std::int64_t>& sums,
             double factor) const;
  /// Puts the file in place; only on the first rank.
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
