#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/columns/reading_choices.hpp"
#include "io/points/columns/width_columns.hpp"

namespace skde::io {

/// Category names, numbered in order of appearance, with the number of rows of each.
class CategoryNames {
 public:
  /// Returns the number of a category, and counts a row of it. An empty text is named "(empty)",
  /// and 3.0, as some programs write 3, is "3".
  std::uint32_t of(std::string_view text);
  /// The same for a number, which is named as it is written: 3 is "3".
  std::uint32_t of(double number);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t category) const { return names_[category]; }
  std::uint64_t rows(std::size_t category) const { return rows_[category]; }
  std::uint64_t rows() const;
  /// The most frequent categories with their row counts: "'a' (120), 'b' (7), ...".
  std::string commonest() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::uint32_t add(std::string_view text);

  std::vector<std::string> names_;
  std::vector<std::uint64_t> rows_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> by_text_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;  // keyed by the bits of the number
};

struct CarriedRows;
struct RecordRows;

/// Rows of a file as doubles, unchanged: non-finite values and invalid weights are left to the
/// caller (see cloud_stream.hpp).
class PointReader {
 public:
  virtual ~PointReader() = default;
  /// Replaces `chunk` with up to `most` of the next rows; returns false if none were left. Rows
  /// before a broken one are returned first. Throws Error(input) that names the file and the line
  /// or byte if the file is broken or cut short. `chunk.bandwidth_factors` receives the bandwidth
  /// columns, row by row, unchanged.
  virtual bool read(Samples& chunk, std::size_t most) = 0;
  /// Rows of the last chunk's range that the condition left out. They can leave a chunk empty
  /// although more rows follow.
  virtual std::size_t left_out() const { return 0; }
  /// Place of row `row` of the last chunk in the file: "line 12" of a text, "row 12" (1-based) of
  /// binary records.
  virtual std::string place_of(std::size_t row) const = 0;
  /// Rows that the header promises, already checked against the size of the file if that is known.
  virtual std::optional<std::uint64_t> expected_rows() const = 0;
  /// Bytes taken from the source so far, and in total (0 if unknown), for progress.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;

  /// Moves to the first row of part `part` of `parts` (from 0); the reader then ends with that
  /// part. The parts follow the order of the file, and every row is in exactly one. May be called
  /// repeatedly. Returns false and changes nothing if rows cannot be found without reading those
  /// before them.
  virtual bool choose_part(std::uint64_t /*part*/, std::uint64_t /*parts*/) { return false; }

  /// Same as choose_part(), for `count` rows from row `first` (from 0) on, which the file must
  /// have.
  virtual bool choose_rows(std::uint64_t /*first*/, std::uint64_t /*count*/) { return false; }

  /// Rows of the whole file, if each is just x, y and z and their number is known: read_bare() can
  /// read these.
  virtual std::optional<std::uint64_t> bare_rows() const { return std::nullopt; }
  /// Same as read(), but writes x, y and z of the next rows to the caller's memory, until it is
  /// full. Returns the number of rows, which is smaller only at the end. After an error the
  /// contents are unspecified.
  virtual std::size_t read_bare(std::span<double> /*xyz*/) { return 0; }

  /// Where the rows lie in the file and what they hold, if they are records of equal size that can
  /// be read at any place; otherwise null.
  virtual const RecordRows* record_rows() const { return nullptr; }

  /// Number of bandwidth columns read; the column of categories is the last of them.
  virtual std::size_t width_columns() const { return 0; }
  /// The texts that the numbers in the column of categories stand for; null if the numbers
  /// themselves are the categories.
  virtual const CategoryNames* category_texts() const { return nullptr; }

  /// The parts of the last chunk that doubles cannot hold; null if the format has none.
  virtual const CarriedRows* carried() const { return nullptr; }

  /// The columns read as x, y, z and weight.
  const ReadColumns& columns() const { return columns_; }
  void set_columns(ReadColumns columns) { columns_ = std::move(columns); }

 private:
  ReadColumns columns_;
};

/// Lines taken for comments before and in the last chunk.
std::uint64_t comments_of(const PointReader& reader);

}  // namespace skde::io
