#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/partial_sums.hpp"
#include "distributed/rank_group.hpp"
#include "io/bytes/output_file.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde {

/// A file of this rank that signals remove, as long as this object lives. If a rank is killed,
/// launchers end the other ranks by a signal. There is one such file at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
};

/// Returns whether the path asks for a volume in pieces: .pvti.
bool is_in_pieces(const std::string& path);

/// A VTK volume in pieces: a file for each rank that has slices, and one that names these files.
/// The first rank writes that one last.
class PieceOutput {
 public:
  /// Begins the piece with the slices of this rank. Throws Error(output) if its file cannot be
  /// made.
  PieceOutput(const RankGroup& ranks, std::string path, const PartialProblem& problem,
              const DensityMetadata& metadata, std::int64_t z, std::int64_t slices);

  void write(const std::vector<std::int64_t>& sums, double factor);
  /// Puts the piece in place.
  void commit();
  /// Writes the file that names the pieces of all ranks. Only the first rank calls this, after all
  /// others are done. `slices`: first slice and number of slices, of each rank.
  void name_pieces(const std::vector<std::int64_t>& slices) const;

 private:
  std::string piece_of(int rank) const;

  std::string path_;
  Grid grid_;
  Precision precision_;
  std::unique_ptr<io::OutputFile> piece_;
  std::unique_ptr<UnfinishedFile> unfinished_;
};

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
