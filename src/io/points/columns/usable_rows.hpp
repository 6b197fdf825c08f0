#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/cloud/samples.hpp"
#include "io/points/point_reader.hpp"

namespace skde::io {

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
