#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "core/space/space.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/row_pieces.hpp"

namespace skde::io {

class OpenFiles;
class PointReader;

/// What is known of a block of consecutive rows. A row whose coordinates are not all finite is no
/// sample.
struct RowBlock {
  std::uint64_t rows = 0;
  std::uint64_t samples = 0;
  Box box{};               ///< of the samples, in world units; zeros if there are none
  std::uint64_t hash = 0;  ///< RowHash of the samples
  /// Consecutive pieces of RowIndex::rows_a_piece rows; none unless all rows are samples.
  std::vector<RowPiece> pieces{};

  friend bool operator==(const RowBlock&, const RowBlock&) = default;
};

/// What is known of the rows of a file, block by block, and of all its samples: enough to plan a
/// density in a box, and to read only the blocks that reach it. Samples have no weights.
struct RowIndex {
  static constexpr std::uint64_t kRowsABlock = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kRowsAPiece = std::uint64_t{1} << 9;  ///< the fewest

  std::uint64_t rows_a_block = kRowsABlock;  ///< the last block may have fewer
  std::uint64_t rows_a_piece = 0;            ///< 0: blocks are not cut into pieces
  std::uint64_t rows = 0;
  std::uint64_t file_bytes = 0;                   ///< size of the file
  std::array<std::uint64_t, 3> columns{1, 2, 3};  ///< 1-based numbers of x, y and z in the file
  std::vector<RowBlock> blocks{};                 ///< in the order of the file
  Moments moments{};                              ///< with the robust covariance, if any samples
  Box inner_bounds{};                             ///< bounds of the samples without outliers

  friend bool operator==(const RowIndex&, const RowIndex&) = default;
};

/// Returns the rows of a piece in an index of a file of so many rows: 512, or more in files so
/// large that there would be more than 2^18 pieces.
std::uint64_t rows_a_piece_of(std::uint64_t rows);

/// Makes an index from the rows of a file, in their order. Its moments have the bits of the moments
/// of the cloud in memory.
class RowIndexBuilder {
 public:
  explicit RowIndexBuilder(std::uint64_t rows_a_block = RowIndex::kRowsABlock,
                           std::uint64_t rows_a_piece = RowIndex::kRowsAPiece);

  /// Returns what is known of a block; may be called by any thread, for several blocks at once.
  RowBlock block_of(std::span<const double> xyz) const;
  /// Appends the next block, whose rows are `xyz`: the cheap part of add(). Requires whole blocks,
  /// except for the last one.
  void add(const RowBlock& block, std::span<const double> xyz);
  /// Appends any number of rows: x, y and z of one after another, as a reader would return them.
  void add(std::span<const double> xyz);
  /// Returns the index of the rows of a file of this size, with x, y and z in these columns. The
  /// builder is empty afterwards.
  RowIndex finish(std::uint64_t file_bytes,
                  const std::array<std::uint64_t, 3>& columns = {1, 2, 3});

 private:
  void add_samples(std::span<const double> xyz);

  RowIndex index_;
  std::vector<double> rows_;     ///< of a block that is not complete yet
  std::vector<double> samples_;  ///< fewer than Moments::kBlock, not in the moments yet
  ThinnedSamples thinned_;
};

/// Returns the counts that reading the file would return.
CloudCounts counts_of(const RowIndex& index);
/// Returns the path of the JSON file beside a file: "cloud.npy.json" for "cloud.npy".
std::string description_path(const std::string& path);
/// Throws Error(input) if an index could not be written beside `path`, because the file there is
/// not a JSON object.
void require_description(const std::string& path);
/// Writes the index into the JSON file beside `path` and keeps the other keys there. Throws
/// Error(input) if that file is not a JSON object, and Error(output) if writing fails.
void write_row_index(const std::string& path, const RowIndex& index);
/// Reads the index beside `path`; none if there is no such file, or it has no index. Throws
/// Error(input) that names the file and the key if the index contradicts itself.
std::optional<RowIndex> read_row_index(const std::string& path, const OpenFiles& files);
/// The same for the text of the JSON file `name`.
std::optional<RowIndex> parse_row_index(const std::string& text, const std::string& name);

/// An index that fits its file, or why there is none.
struct RowIndexFound {
  std::shared_ptr<const RowIndex> index{};  ///< null if there is none
  std::string why_ignored{};                ///< names the file; empty if there is none either
};
/// Returns the index beside `path`, which `reader` has open, if it fits: the size of the file, its
/// number of rows and the columns are those of the index, the file was not written to after its
/// index, and some rows spread over the file have its hashes. Whoever reads a block compares its
/// hash.
RowIndexFound find_row_index(const std::string& path, PointReader& reader, const OpenFiles& files);

}  // namespace skde::io
