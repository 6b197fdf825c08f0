#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/cloud/samples.hpp"
#include "io/points/columns/point_reader.hpp"

namespace skde::io {

/// Makes samples from the rows of a reader: drops rows that are not samples, and throws for rows
/// that are invalid. Used by one thread at a time.
class UsableRows {
 public:
  /// All references must outlive this object.
  UsableRows(const std::string& input, const ColumnSelection& columns, NonFinite non_finite)
      : input_(input), columns_(columns), non_finite_(non_finite) {}

  /// `chunk` holds the rows that the reader returned last. Counts categories, if samples have any.
  /// Throws what CloudStream throws.
  void keep(Samples& chunk, const PointReader& reader, CloudCounts& counts,
            CategoryNames& categories) const;
  /// The same, in place, for rows that PointReader::read_bare() returned last. Moves the kept rows
  /// to the front and returns their number.
  std::size_t keep_bare(std::span<double> xyz, const PointReader& reader,
                        CloudCounts& counts) const;

 private:
  /// Counts a row as dropped, or throws if it must not be dropped.
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
