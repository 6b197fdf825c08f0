#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "core/samples.hpp"
#include "core/words.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// What happens to rows with a NaN or an infinity.
enum class NonFinite { drop, error };

inline constexpr Words<NonFinite, 2> kNonFinite{
    {{"drop", NonFinite::drop}, {"error", NonFinite::error}}};

/// Rows read and dropped so far.
struct CloudCounts {
  std::uint64_t rows = 0;         ///< rows read
  std::uint64_t non_finite = 0;   ///< dropped: NaN or infinity in a coordinate or weight
  std::uint64_t zero_weight = 0;  ///< dropped: weight 0
  std::uint64_t samples() const { return rows - non_finite - zero_weight; }
};

/// Several inputs as one cloud, chunk by chunk. A negative weight is Error(input), which names the
/// line or row, and so are widths that are none, a value that is not finite under NonFinite::error,
/// and an input whose coordinates are other columns than those of the first.
class CloudStream {
 public:
  /// Opens the first input at once; the others as they are reached. Error(usage) without inputs.
  CloudStream(std::vector<std::string> inputs, ColumnSelection columns, NonFinite non_finite);

  /// Replaces `chunk` with up to `most` usable samples (and at most 2^18 at a time); false at the
  /// end of the last input. Every input is a stage of `progress`, in bytes.
  bool read(Samples& chunk, std::size_t most, Progress& progress);
  const CloudCounts& counts() const { return counts_; }
  /// What is read of the first input; of the others it is the same.
  const ReadColumns& columns() const { return read_; }
  /// Inputs that are not opened yet.
  std::size_t inputs_left() const { return inputs_.size() - next_input_; }
  bool weighted() const { return columns_.weighted(); }
  bool shaped() const { return columns_.shaped(); }
  /// Of all inputs so far, where there is a column of them; samples have their numbers.
  const CategoryNames& categories() const { return categories_; }
  /// Rows that the input being read promises, where the promise has been checked against its size;
  /// 0 where nobody knows.
  std::uint64_t checked_rows() const;

 private:
  void open_next();
  void keep_usable(Samples& chunk);
  std::uint32_t category_of(const Samples& chunk, std::size_t row);
  void require_few_categories() const;
  std::span<const double> widths_of(const Samples& chunk, std::size_t row) const;
  bool has_finite_widths(const Samples& chunk, std::size_t row) const;

  std::vector<std::string> inputs_;
  ColumnSelection columns_;
  NonFinite non_finite_;
  std::size_t next_input_ = 0;
  std::unique_ptr<PointReader> reader_;
  bool announced_ = false;
  CloudCounts counts_;
  ReadColumns read_;
  CategoryNames categories_;
};

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
