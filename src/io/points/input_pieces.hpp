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

/// An input cut into pieces, which stand in its order and which any number of threads read at once,
/// each into wherever it likes: binary records by rows, text at line ends.
class InputPieces {
 public:
  /// Of the file, about: what stays in a core's cache on its way, and a little less than a whole
  /// number of the buffers that files are read into, as these are thrown away at a piece's end.
  static constexpr std::size_t kPieceBytes = (std::size_t{1} << 20) - (std::size_t{1} << 14);

  /// Null where only rows tell where those behind them begin, or nothing can be read twice: pipes,
  /// packed files, texts that promise their rows. Samples with categories are not cut either, as
  /// these are numbered in their order. `reader` has the input open, and is left as it was.
  static std::unique_ptr<InputPieces> cut(const std::string& input, const ColumnSelection& columns,
                                          NonFinite non_finite, PointReader& reader,
                                          CloudPart part = {},
                                          std::size_t piece_bytes = kPieceBytes,
                                          const OpenFiles& files = {});

  std::size_t size() const { return pieces_; }
  /// Replaces `samples` with those of piece `index` in their order, and counts its rows. Called by
  /// any thread. Throws what CloudStream throws; of all pieces' errors the first piece's is the one
  /// that reading from front to end would meet.
  CloudCounts read(std::size_t index, Samples& samples);
  /// Rows of piece `index` that read_bare() reads; 0 where rows are more than x, y and z, or their
  /// number is not known.
  std::size_t bare_rows(std::size_t index) const;
  /// As read(), to where the caller wants the samples: x, y and z of no more than bare_rows().
  CloudCounts read_bare(std::size_t index, std::span<double> xyz);

 private:
  InputPieces(std::string input, ColumnSelection columns, NonFinite non_finite, CloudPart part,
              std::size_t pieces, std::uint64_t bare_rows, OpenFiles files);
  std::unique_ptr<PointReader> take_reader(std::size_t index);
  void give_back(std::unique_ptr<PointReader> reader);

  std::string input_;
  ColumnSelection columns_;
  NonFinite non_finite_;
  CloudPart part_;
  std::size_t pieces_;
  std::uint64_t bare_rows_;  ///< of the input; 0 where they are not bare
  OpenFiles files_;          ///< which has the input open
  std::mutex mutex_;
  std::vector<std::unique_ptr<PointReader>> idle_;  ///< that were opened and read no piece now
};

}  // namespace skde::io
