#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/points/columns/usable_rows.hpp"
#include "io/points/input_pieces.hpp"

namespace skde::io {

class OrderedPieces;   // in cloud_stream.cpp
struct RowIndexFound;  // io/points/row_index.hpp

/// How inputs are read.
struct ReadingPlan {
  CloudPart part{};                                    ///< the part of each input to read
  int threads = 0;                                     ///< parsing threads; 0: one per core
  std::size_t piece_bytes = InputPieces::kPieceBytes;  ///< bytes of a file that a thread reads at a
                                                       ///< time
  OpenFiles files{};                                   ///< files of the run, some of them already
                                                       ///< open
  /// Only these rows are read, in this order, of the only input, whose row_index() they are from.
  std::optional<std::vector<RowRange>> rows{};
};

/// Reads several inputs as one cloud, chunk by chunk. These throw Error(input) that names the line
/// or row: a negative weight, an invalid bandwidth, a value that is not finite under
/// NonFinite::error, and an input whose coordinates are other columns than those of the first.
/// Chunks hold the values of other columns that the selection names. Several threads read large
/// files, with the same results.
class CloudStream {
 public:
  /// Opens the first input at once, the others as they are reached. Throws Error(usage) if there
  /// are no inputs.
  CloudStream(std::vector<std::string> inputs, ColumnSelection columns, NonFinite non_finite,
              const ReadingPlan& plan = {});

  /// Replaces `chunk` with up to `most` usable samples, but at most 2^18 if a single thread reads.
  /// Returns false at the end of the last input. Every input is a stage of `progress`, in bytes.
  bool read(Samples& chunk, std::size_t most, Progress& progress);
  const CloudCounts& counts() const { return counts_; }
  /// The columns read from the first input; those of the others are the same.
  const ReadColumns& columns() const { return read_; }
  /// Number of inputs not opened yet.
  std::size_t inputs_left() const { return inputs_.size() - next_input_; }
  /// Returns true if threads read ahead, so that chunks are best taken as large as they come.
  bool reads_ahead() const { return cut_ != nullptr; }
  bool weighted() const { return columns_.weighted(); }
  bool shaped() const { return columns_.shaped(); }
  /// Categories of all inputs so far, if there is a column of them; samples hold their numbers.
  const CategoryNames& categories() const { return categories_; }
  /// For callers that read with their own threads (see CloudChunks): the pieces of the open input,
  /// if it is cut and nothing was read from it yet; otherwise null. Rows read from these pieces are
  /// not counted here.
  std::shared_ptr<InputPieces> untouched_pieces() const { return touched_ ? nullptr : cut_; }
  /// Same as read(), but for the open input alone: returns false at its end.
  bool read_input(Samples& chunk, std::size_t most, Progress& progress);
  /// Moves on to the next input, whatever is left of this one; returns false after the last one.
  /// Throws Error(input) if this one was written to since it was opened.
  bool next_input();
  /// Looks for the index of the only input. `why_ignored` is set if there is one, but it does not
  /// fit the file. Finds nothing if samples are more than three columns of it, or conditions or
  /// conversions apply to them.
  RowIndexFound row_index() const;
  /// Number of reading threads.
  int threads() const { return plan_.threads; }
  /// Rows that the open input promises, if the promise was checked against its size; 0 if unknown.
  std::uint64_t checked_rows() const;

 private:
  void open_next();
  bool read_rows(Samples& chunk, std::size_t most);
  bool read_pieces(Samples& chunk, std::size_t most);
  std::uint64_t bytes_done() const;
  std::uint64_t bytes_wanted() const;

  std::vector<std::string> inputs_;
  ColumnSelection columns_;
  NonFinite non_finite_;
  ReadingPlan plan_;
  std::size_t next_input_ = 0;
  std::optional<InputStamps> stamp_;  ///< of the input, taken when it was opened
  std::unique_ptr<PointReader> reader_;
  bool announced_ = false;
  std::shared_ptr<InputPieces> cut_;       ///< pieces of the input, if it is cut
  bool touched_ = false;                   ///< something was read from the input
  std::shared_ptr<OrderedPieces> pieces_;  ///< created when the first piece is read
  Samples piece_;                          ///< the piece that is being handed out
  std::size_t handed_out_ = 0;             ///< samples of piece_ already handed out
  bool passes_over_rows_ = false;          ///< rows of other parts are read too, and skipped
  std::uint64_t row_ = 0;                  ///< row of the input, if rows are skipped
  CloudCounts counts_;
  ReadColumns read_;
  CategoryNames categories_;
};

/// Settles what the conversion of degrees depends on. If a frame is about the middle of the inputs,
/// finds that middle by reading them once. Depths without a unit are m if one of the first rows is
/// beyond all depths in km. Throws Error(usage) if they can be read only once or lie all around the
/// Earth; also throws what CloudStream throws.
void settle_places(const std::vector<std::string>& inputs, ColumnSelection& columns,
                   NonFinite non_finite, const OpenFiles& files);

/// A cloud in memory.
struct LoadedCloud {
  Samples points;
  CloudCounts counts;
  ReadColumns columns;
  bool complete = true;  ///< false if the stream has more
};
/// Reads to the end, or until there are more than `most` samples.
LoadedCloud load_cloud(CloudStream& stream, std::uint64_t most, Progress& progress);
LoadedCloud load_cloud(const std::vector<std::string>& inputs, const ColumnSelection& columns,
                       NonFinite non_finite, Progress& progress);

}  // namespace skde::io
