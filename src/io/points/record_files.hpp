#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/points/readers/record_reader.hpp"

namespace skde::io {

/// Rows of equal size in bytes, which any thread reads at any place.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;
  virtual std::uint64_t rows() const = 0;
  virtual std::size_t row_bytes() const = 0;
  /// Copies `count` rows from row `first` (from 0) on. Throws Error(input) if reading fails.
  virtual void read(std::uint64_t first, std::size_t count, char* to) const = 0;
  /// Place of a row for messages: "cloud.npy: row 12" (from 1).
  virtual std::string place_of(std::uint64_t row) const = 0;
};

/// Files whose rows are records of equal size, with all their bytes: NPY in C order, with or
/// without fields, binary PLY of vertices alone, and LAS. The rows of several files follow each
/// other.
class RecordFiles final : public RowSource {
 public:
  /// Opens the files. Returns null if the first one is not of this kind. Throws Error(input) if the
  /// layouts of others differ from its, if it is a PLY file with more elements, which may refer to
  /// its vertices by number, or for several LAS files, whose headers describe their points. Throws
  /// what open_points() throws, too.
  static std::unique_ptr<RecordFiles> open(const std::vector<std::string>& paths,
                                           const ColumnSelection& columns,
                                           const OpenFiles& files = {});
  ~RecordFiles() override;

  std::uint64_t rows() const override { return rows_; }
  std::size_t row_bytes() const override { return layout_.stride; }
  void read(std::uint64_t first, std::size_t count, char* to) const override;
  std::string place_of(std::uint64_t row) const override;

  /// The coordinates, and as widths the other columns of the selection.
  const RecordLayout& layout() const { return layout_; }
  const ReadColumns& columns() const { return columns_; }
  /// Extension of such files: ".npy", ".ply" or ".las".
  const std::string& extension() const { return extension_; }
  /// The bytes before the rows in a file of all rows, with the facts of the first file; and those
  /// after them.
  const std::string& head() const { return head_; }
  const std::string& tail() const { return tail_; }

 private:
  struct File;
  RecordFiles();
  const File& file_of(std::uint64_t row) const;

  std::vector<std::unique_ptr<File>> files_;
  OpenFiles open_;
  RecordLayout layout_;
  ReadColumns columns_;
  std::uint64_t rows_ = 0;
  std::string extension_, head_, tail_;
};

}  // namespace skde::io
