#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/error.hpp"
#include "io/points/point_table.hpp"

namespace skde::io {

/// What a file states about its points: a key of one word, and a value on one line.
using PointFacts = std::vector<std::pair<std::string, std::string>>;

/// Writes rows chunk by chunk as PLY (binary, little endian, double), NPY (N, columns), CSV with a
/// header, or XYZ rows, by the extension of the path. The file appears complete at finish(), or not
/// at all.
class PointWriter {
 public:
  /// `samples` is the number of rows that will be written. In PLY, column names are reduced to
  /// letters, digits and underscores. Throws Error(usage) if the extension is none of these,
  /// Error(output) if the file cannot be created or the disk has no room for it. `facts` are stated
  /// in the head of the file as "key value", or in a JSON file beside an NPY.
  PointWriter(const std::string& path, std::uint64_t samples,
              const std::vector<std::string>& columns = {"x", "y", "z"},
              const PointFacts& facts = {});
  ~PointWriter();
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;

  /// Appends the samples of a chunk, without their weights. Throws Error(output) if the disk is
  /// full.
  void write(const SamplesView& points) { write(points.xyz); }
  /// Appends rows, one double per column. In a text, values that are not finite are nan or inf.
  void write(std::span<const double> rows);
  /// Appends a row of a table, then `more`. A CSV file keeps the fields of a text as they are, and
  /// any text all digits of whole numbers.
  void write_row(const PointTable& table, std::size_t row, std::span<const double> more = {});
  /// Renames the file into place. Throws std::logic_error if fewer or more samples were written
  /// than announced.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the files that points with facts are written to: the path, and one beside an NPY.
std::vector<std::string> point_files_with_facts(const std::string& path);
/// Throws Error(usage) if points cannot be written to a file of this extension.
void require_point_extension(const std::string& path);
/// Returns true for a file in which rows of a text keep all their fields.
bool keeps_lines(const std::string& path);
/// Returns true for a file of text, which holds whole numbers with all their digits.
bool is_text_file(const std::string& path);
/// Returns the columns of rows that write_row() writes. `names` are those of the table's columns.
std::vector<std::string> written_names(const PointTable& table, std::vector<std::string> names);
/// Returns warnings of what rows become in a file of this name: whole numbers that it would round,
/// and texts without a name. With `refuses`, throws Error(usage) in place of the former.
std::vector<Warning> carried_warnings(const std::string& path, const PointTable& table,
                                      bool refuses = false);
/// Returns ".ply, .npy, .csv, .xyz".
std::string point_writer_extensions();

}  // namespace skde::io
