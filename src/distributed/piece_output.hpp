#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/partial_sums.hpp"
#include "distributed/rank_group.hpp"
#include "distributed/unfinished_file.hpp"
#include "io/bytes/output_file.hpp"

namespace skde {

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

}  // namespace skde
