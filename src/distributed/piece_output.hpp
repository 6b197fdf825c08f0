#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "core/density_metadata.hpp"
#include "distributed/rank_group.hpp"
#include "distributed/unfinished_file.hpp"
#include "io/bytes/output_file.hpp"

namespace skde {

/// True where the volume is to be one of pieces: .pvti.
bool is_in_pieces(const std::string& path);

/// A volume of VTK in pieces, a file for each rank that has slices, and one that names them, which
/// the first rank writes last.
class PieceOutput {
 public:
  /// The slices that this rank writes. Error(output) where it cannot make its file.
  PieceOutput(const RankGroup& ranks, std::string path, const PartialProblem& problem,
              const DensityMetadata& metadata, std::int64_t z, std::int64_t slices);

  void write(const std::vector<std::int64_t>& sums, double factor);
  /// Puts the piece in place.
  void commit();
  /// The file that names the pieces of all ranks: of the first one alone, behind all others.
  /// `slices`: first and number, of each rank.
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
