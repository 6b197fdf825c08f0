#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/points/columns/usable_rows.hpp"

namespace skde::io {

class RangeHash;

/// An input cut into consecutive pieces that any number of threads read at once, each into memory
/// of its choice. Binary records are cut at rows, text at line ends.
class InputPieces {
 public:
  /// Approximate bytes of the file in a piece. They fit in a core's cache, and are slightly less
  /// than a multiple of the file buffer, whose surplus is discarded at the end of a piece.
  static constexpr std::size_t kPieceBytes = (std::size_t{1} << 20) - (std::size_t{1} << 14);

  /// Returns null if the start of a row is known only from the rows before it, or if the input
  /// cannot be read twice: pipes, packed files, texts that promise their rows. Samples with
  /// categories are not cut either, because categories are numbered in order. `reader` has the
  /// input open; its state is left unchanged.
  static std::unique_ptr<InputPieces> cut(const std::string& input, const ColumnSelection& columns,
                                          NonFinite non_finite, PointReader& reader,
                                          CloudPart part = {},
                                          std::size_t piece_bytes = kPieceBytes,
                                          const OpenFiles& files = {});

  /// The pieces are these rows of an input with x, y and z alone. Each must hold the samples that
  /// it is said to hold, or reading it throws Error(input). Returns null if rows cannot be chosen.
  static std::unique_ptr<InputPieces> of_rows(const std::string& input,
                                              const ColumnSelection& columns, NonFinite non_finite,
                                              PointReader& reader, std::vector<RowRange> rows,
                                              const OpenFiles& files = {});

  std::size_t size() const { return pieces_; }
  /// Replaces `samples` with those of piece `index`, in order, and returns the counts of its rows.
  /// May be called by any thread. Throws what CloudStream throws. If several pieces throw, the
  /// error of the first such piece is the one that reading from front to end would meet.
  CloudCounts read(std::size_t index, Samples& samples);
  /// Rows of piece `index` that read_bare() reads; 0 if rows hold more than x, y and z, or if their
  /// number is unknown.
  std::size_t bare_rows(std::size_t index) const;
  /// Same as read(), but writes x, y and z of up to bare_rows() samples to the caller's memory.
  CloudCounts read_bare(std::size_t index, std::span<double> xyz);

 private:
  InputPieces(std::string input, ColumnSelection columns, NonFinite non_finite, CloudPart part,
              std::size_t pieces, std::uint64_t bare_rows, OpenFiles files);
  std::unique_ptr<PointReader> take_reader(std::size_t index);
  void give_back(std::unique_ptr<PointReader> reader);
  void require_indexed(std::size_t index, const CloudCounts& counts, const RangeHash& hash) const;

  std::string input_;
  ColumnSelection columns_;
  NonFinite non_finite_;
  CloudPart part_;
  std::size_t pieces_;
  std::uint64_t bare_rows_;     ///< of the input; 0 if rows are not bare
  std::vector<RowRange> rows_;  ///< of each piece, if they are given; otherwise empty
  OpenFiles files_;             ///< which have the input open
  std::mutex mutex_;
  std::vector<std::unique_ptr<PointReader>> idle_;  ///< open readers that are not in use
};

}  // namespace skde::io
