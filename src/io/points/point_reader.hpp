#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/category_names.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/read_columns.hpp"
#include "io/points/reading_choices.hpp"

namespace skde::io {

/// How SWIFT, Gadget and programs after them name the smoothing lengths of particles.
inline constexpr std::array<std::string_view, 4> kSmoothingLengths{
    "SmoothingLengths", "SmoothingLength", "Hsml", "smoothing_length"};

/// Rows of a file, in double as they stand there: non-finite values and odd weights are left to
/// the caller (see cloud_stream.hpp).
class PointReader {
 public:
  virtual ~PointReader() = default;
  /// Replaces `chunk` with the next rows, at most `most` of them; false where none were left. Rows
  /// before one that is broken come first.
  /// Throws Error(input) that names file and line or byte where the file is broken or cut short.
  /// `chunk.bandwidth_factors` holds the columns of widths, row by row, as they stand there.
  virtual bool read(Samples& chunk, std::size_t most) = 0;
  /// Rows that stood among those of the last chunk, and that the condition left out. A chunk may be
  /// empty for that, with more behind it.
  virtual std::size_t left_out() const { return 0; }
  /// Where row `row` of the last chunk stands in the file: "line 12" of a text, "row 12" (from 1)
  /// of binary records.
  virtual std::string place_of(std::size_t row) const = 0;
  /// Rows that the header promises, already checked against the size of the file where it is known.
  virtual std::optional<std::uint64_t> expected_rows() const = 0;
  /// Bytes taken from the source so far and in all (0 where unknown), for progress.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;

  /// Goes to the first row of part `part` of `parts` (from 0), which is read as if nothing followed
  /// it; every row is in one of them, and they stand in the order of the file. As often as wanted.
  /// False, and nothing has changed, where rows cannot be found without those before them.
  virtual bool choose_part(std::uint64_t /*part*/, std::uint64_t /*parts*/) { return false; }

  /// Rows of the whole file, where each is x, y and z alone and their number is known: these may be
  /// read by read_bare().
  virtual std::optional<std::uint64_t> bare_rows() const { return std::nullopt; }
  /// As read(), to where the caller wants x, y and z of the next rows, as many as there is room
  /// for; returns their number, which is less at the end alone. Behind an error the room holds
  /// anything.
  virtual std::size_t read_bare(std::span<double> /*xyz*/) { return 0; }

  /// How many columns of widths it reads; that of categories is the last one of them.
  virtual std::size_t width_columns() const { return 0; }
  /// The texts that numbers in the column of categories stand for; null where they are the
  /// categories themselves.
  virtual const CategoryNames* category_texts() const { return nullptr; }

  /// What is read as x, y, z and weight.
  const ReadColumns& columns() const { return columns_; }
  void set_columns(ReadColumns columns) { columns_ = std::move(columns); }

 private:
  ReadColumns columns_;
};

/// Opens `path` ("-": standard input), recognising the format by its first bytes and its name.
/// Where there is no such file, "FILE:PART" names a part of a file. Throws Error(input) where there
/// is no such file, it is empty, or of no known format; Error(usage) where a column that was asked
/// for is not there.
std::unique_ptr<PointReader> open_points(const std::string& path, const ColumnSelection& columns,
                                         const OpenFiles& files = {});

/// The same for a source that is open already; its name stands for the path.
std::unique_ptr<PointReader> open_points(std::unique_ptr<ByteSource> source,
                                         const ColumnSelection& columns);

/// True where every path is a PLY file of Gaussian splats: one with the columns that kSplat reads.
/// No file of another extension is opened, nor is a pipe, which can be read once.
bool are_splats(const std::vector<std::string>& paths, const ColumnSelection& columns,
                const OpenFiles& files);

}  // namespace skde::io
