#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/cloud/samples.hpp"
#include "core/report/words.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

/// What happens to rows with a NaN or an infinity.
enum class NonFinite { drop, error };

inline constexpr Words<NonFinite, 2> kNonFinite{
    {{"drop", NonFinite::drop}, {"error", NonFinite::error}}};

/// Rows read and dropped so far.
struct CloudCounts {
  std::uint64_t rows = 0;         ///< rows read
  std::uint64_t non_finite = 0;   ///< dropped: NaN or infinity in what is read of them
  std::uint64_t zero_weight = 0;  ///< dropped: weight 0
  std::uint64_t left_out = 0;     ///< by the condition on columns, before all else
  std::uint64_t samples() const { return rows - dropped() - left_out; }
  std::uint64_t dropped() const { return non_finite + zero_weight; }

  CloudCounts& operator+=(const CloudCounts& other);
  friend bool operator==(const CloudCounts&, const CloudCounts&) = default;
};

/// Makes samples of the rows that a reader gave: drops those that are none, and says why others
/// cannot be. Used by one thread at a time.
class UsableRows {
 public:
  /// All references must outlive this.
  UsableRows(const std::string& input, const ColumnSelection& columns, NonFinite non_finite)
      : input_(input), columns_(columns), non_finite_(non_finite) {}

  /// `chunk` is what the reader gave last. Categories are counted, where samples have any. Throws
  /// what CloudStream says.
  void keep(Samples& chunk, const PointReader& reader, CloudCounts& counts,
            CategoryNames& categories) const;
  /// The same of rows that PointReader::read_bare() gave last, in their place: those that are kept
  /// lie at the front; returns their number.
  std::size_t keep_bare(std::span<double> xyz, const PointReader& reader,
                        CloudCounts& counts) const;

 private:
  /// Counts a row as dropped, or throws where it must not be.
  void drop(const double* xyz, double weight, std::size_t row, const PointReader& reader,
            CloudCounts& counts) const;
  std::uint32_t category_of(const Samples& chunk, std::size_t row, const PointReader& reader,
                            CategoryNames& categories) const;
  void require_few(const CategoryNames& categories) const;
  std::span<const double> widths_of(const Samples& chunk, std::size_t row,
                                    const PointReader& reader) const;
  std::span<const double> values_of(const Samples& chunk, std::size_t row,
                                    const PointReader& reader) const;

  const std::string& input_;
  const ColumnSelection& columns_;
  NonFinite non_finite_;
};

}  // namespace skde::io
