#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/usable_rows.hpp"
#include "io/points/input_pieces.hpp"
#include "io/points/ordered_pieces.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// How inputs are read.
struct ReadingPlan {
  CloudPart part{};                                    ///< of each input
  int threads = 0;                                     ///< that parse; 0: one a core
  std::size_t piece_bytes = InputPieces::kPieceBytes;  ///< of a file that a thread reads at a time
  OpenFiles files{};                                   ///< of the run, some of them open already
};

/// Several inputs as one cloud, chunk by chunk. A negative weight is Error(input), which names the
/// line or row, and so are widths that are none, a value that is not finite under NonFinite::error,
/// and an input whose coordinates are other columns than those of the first. Chunks hold the values
/// of other columns that the selection names. Files of some size are read by several threads, which
/// changes nothing of all this.
class CloudStream {
 public:
  /// Opens the first input at once; the others as they are reached. Error(usage) without inputs.
  CloudStream(std::vector<std::string> inputs, ColumnSelection columns, NonFinite non_finite,
              const ReadingPlan& plan = {});

  /// Replaces `chunk` with up to `most` usable samples (and of what one thread reads at most 2^18
  /// at a time); false at the end of the last input. Every input is a stage of `progress`, in
  /// bytes.
  bool read(Samples& chunk, std::size_t most, Progress& progress);
  const CloudCounts& counts() const { return counts_; }
  /// What is read of the first input; of the others it is the same.
  const ReadColumns& columns() const { return read_; }
  /// Inputs that are not opened yet.
  std::size_t inputs_left() const { return inputs_.size() - next_input_; }
  /// True where threads read ahead, so that chunks are best taken as large as they come.
  bool reads_ahead() const { return cut_ != nullptr; }
  bool weighted() const { return columns_.weighted(); }
  bool shaped() const { return columns_.shaped(); }
  /// Of all inputs so far, where there is a column of them; samples have their numbers.
  const CategoryNames& categories() const { return categories_; }
  /// For who reads by threads of their own (see CloudChunks): the pieces of the input that is open,
  /// where it is cut and nothing was read of it yet; otherwise null. What is read of them is in no
  /// counts here.
  std::shared_ptr<InputPieces> untouched_pieces() const { return touched_ ? nullptr : cut_; }
  /// As read(), of the input that is open alone: false at its end.
  bool read_input(Samples& chunk, std::size_t most, Progress& progress);
  /// Goes on to the next input, whatever is left of this one; false behind the last one.
  /// Error(input) where this one was written to since it was opened.
  bool next_input();
  /// Threads that read.
  int threads() const { return plan_.threads; }
  /// Rows that the input being read promises, where the promise has been checked against its size;
  /// 0 where nobody knows.
  std::uint64_t checked_rows() const;

 private:
  void open_next();
  bool read_rows(Samples& chunk, std::size_t most);
  bool read_pieces(Samples& chunk, std::size_t most);
  std::uint64_t bytes_done() const;

  std::vector<std::string> inputs_;
  ColumnSelection columns_;
  NonFinite non_finite_;
  ReadingPlan plan_;
  std::size_t next_input_ = 0;
  std::optional<InputStamps> stamp_;  ///< of the input, when it was opened
  std::unique_ptr<PointReader> reader_;
  bool announced_ = false;
  std::shared_ptr<InputPieces> cut_;       ///< the input, where it is cut
  bool touched_ = false;                   ///< something was read of it
  std::unique_ptr<OrderedPieces> pieces_;  ///< made when the first of them is read
  Samples piece_;                          ///< the one that is handed out
  std::size_t handed_out_ = 0;             ///< samples of it
  bool passes_over_rows_ = false;          ///< those of other parts, which are read, too
  std::uint64_t row_ = 0;                  ///< of the input, then
  CloudCounts counts_;
  ReadColumns read_;
  CategoryNames categories_;
};

/// Where `columns` ask for a frame that is tangent about the middle of the inputs: finds that, by
/// reading them once. Error(usage) where they are read once only, or lie all around the Earth; and
/// throws what CloudStream throws.
void settle_middle(const std::vector<std::string>& inputs, ColumnSelection& columns,
                   NonFinite non_finite, const OpenFiles& files);

/// A cloud in memory.
struct LoadedCloud {
  Samples points;
  CloudCounts counts;
  ReadColumns columns;
  bool complete = true;  ///< false: the stream has more
};
/// Reads on to the end, or until there are more than `most` samples.
LoadedCloud load_cloud(CloudStream& stream, std::uint64_t most, Progress& progress);
LoadedCloud load_cloud(const std::vector<std::string>& inputs, const ColumnSelection& columns,
                       NonFinite non_finite, Progress& progress);

}  // namespace skde::io
