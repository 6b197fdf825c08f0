#include <fitsio.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// A FITS file; the bytes of a source that is not seekable are all held in memory.
class FitsFile {
 public:
  explicit FitsFile(BufferedSource source) : name_(source.name()) {
    int status = 0;
    fits_open_diskfile(&file_, ReopenedFile(std::move(source), "FITS").path().c_str(), READONLY,
                       &status);
    check(status);
  }
  ~FitsFile() {
    int status = 0;
    if (file_ != nullptr) fits_close_file(file_, &status);
  }
  FitsFile(const FitsFile&) = delete;
  FitsFile& operator=(const FitsFile&) = delete;

  fitsfile* get() const { return file_; }
  const std::string& name() const { return name_; }

  void check(int status) const {
    if (status == 0) return;
    std::array<char, FLEN_STATUS> text{};
    fits_get_errstatus(status, text.data());
    fits_clear_errmsg();
    refuse(fmt::format("cannot be read as FITS: {}", text.data()), "fetch it again");
  }
  [[noreturn]] void refuse(const std::string& why, std::string suggestion) const {
    throw Error(ErrorKind::input, fmt::format("{}: {}", name_, why), {{}, std::move(suggestion)});
  }

 private:
  std::string name_;
  fitsfile* file_ = nullptr;
};

/// Moves to the table that `part` names or numbers (the first unit is 0), or to the only table.
void go_to_table(const FitsFile& file, const std::string& part) {
  int units = 0, status = 0;
  fits_get_num_hdus(file.get(), &units, &status);
  file.check(status);
  std::vector<int> tables;
  std::string list;
  for (int unit = 1; unit <= units; ++unit) {
    int kind = 0;
    fits_movabs_hdu(file.get(), unit, &kind, &status);
    file.check(status);
    if (kind != BINARY_TBL && kind != ASCII_TBL) continue;
    std::array<char, FLEN_VALUE> extension{};
    int no_name = 0;
    fits_read_key(file.get(), TSTRING, "EXTNAME", extension.data(), nullptr, &no_name);
    const std::string number = std::to_string(unit - 1), title = extension.data();
    list.append(list.empty() ? "" : ", ").append(title.empty() ? number : excerpt(title));
    if (part.empty() || part == number || lower_case(part) == lower_case(title))
      tables.push_back(unit);
  }
  fits_clear_errmsg();
  if (tables.size() != 1)
    file.refuse(fmt::format("holds {}", list.empty() ? "no table" : "the tables " + list),
                "name one as FILE:TABLE");
  fits_movabs_hdu(file.get(), tables[0], nullptr, &status);
  file.check(status);
}

/// The columns with one number per row, and their 1-based numbers in the table.
struct FitsColumns {
  FileColumns columns;
  std::vector<int> numbers;
};

/// Advice for a column of several numbers per row, which cannot be read.
std::string split_vector(const std::string& name, long numbers) {
  return fmt::format(
      "column {0} has {1} numbers in each row: store each in a column of its own, for example with "
      "astropy: t['x'], t['y'], t['z'] = t[{0}].T[:3]",
      excerpt(name), numbers);
}

FitsColumns columns_of(const FitsFile& file) {
  FitsColumns found;
  found.columns.file = file.name();
  int count = 0, status = 0;
  fits_get_num_cols(file.get(), &count, &status);
  file.check(status);
  for (int column = 1; column <= count; ++column) {
    int type = 0;
    long repeat = 0, width = 0;
    fits_get_coltype(file.get(), column, &type, &repeat, &width, &status);
    file.check(status);
    std::array<char, FLEN_VALUE> name{}, unit{};
    int missing = 0;
    fits_read_key(file.get(), TSTRING, fmt::format("TTYPE{}", column).c_str(), name.data(), nullptr,
                  &missing);
    const bool is_number = type >= TBYTE && type != TLOGICAL && type != TSTRING && type < TCOMPLEX;
    if (!is_number || repeat != 1) {
      if (is_number && found.columns.remedy.empty())
        found.columns.remedy = split_vector(name.data(), repeat);
      found.columns.left_out.push_back(name[0] == 0 ? fmt::format("column {}", column)
                                                    : name.data());
      fits_clear_errmsg();
      continue;
    }
    missing = 0;
    fits_read_key(file.get(), TSTRING, fmt::format("TUNIT{}", column).c_str(), unit.data(), nullptr,
                  &missing);
    fits_clear_errmsg();
    found.columns.names.emplace_back(name.data());
    found.columns.units.emplace_back(unit.data());
    found.columns.numeric.push_back(true);
    found.numbers.push_back(column);
  }
  return found;
}

class FitsReader final : public ColumnReader {
 public:
  FitsReader(std::unique_ptr<FitsFile> file, std::vector<int> columns,
             const SelectedColumns& selected)
      : ColumnReader(selected, std::size_t{1} << 14),
        file_(std::move(file)),
        columns_(std::move(columns)) {
    int status = 0;
    LONGLONG rows = 0;
    fits_get_num_rowsll(file_->get(), &rows, &status);
    for (const int column : columns_) {
      long repeat = 0, width = 0;
      fits_get_eqcoltype(file_->get(), column, &types_.emplace_back(), &repeat, &width, &status);
    }
    file_->check(status);
    set_rows(0, static_cast<std::uint64_t>(rows));
  }

  std::uint64_t bytes_read() const override { return done() * columns_.size() * sizeof(double); }
  /// Unknown: the header's promise was not compared with the size of the file.
  std::uint64_t bytes_total() const override { return 0; }

 private:
  void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) override {
    values_.resize(count);
    double missing = std::numeric_limits<double>::quiet_NaN();
    int any = 0, status = 0;
    fits_read_col(file_->get(), TDOUBLE, columns_[i], static_cast<LONGLONG>(done()) + 1, 1,
                  static_cast<LONGLONG>(count), &missing, values_.data(), &any, &status);
    file_->check(status);
    note_rests(i, count);
    for (std::size_t row = 0; row < count; ++row) to[step * row] = values_[row];
  }

  /// Notes what doubles leave of the integers of a column.
  void note_rests(std::size_t i, std::size_t count) {
    if (types_[i] != TLONGLONG && types_[i] != TULONGLONG) return;
    std::string bits(count * sizeof(double), '\0');
    int any = 0, status = 0;
    fits_read_col(file_->get(), types_[i], columns_[i], static_cast<LONGLONG>(done()) + 1, 1,
                  static_cast<LONGLONG>(count), nullptr, bits.data(), &any, &status);
    file_->check(status);
    carried_.note_all(types_[i] == TLONGLONG ? ScalarType::i64 : ScalarType::u64,
                      std::endian::native == std::endian::big, bits.data(), sizeof(double), count,
                      0, i);
  }

  std::unique_ptr<FitsFile> file_;
  std::vector<int> columns_;  // x, y, z, the weight, if there is one, and bandwidths
  std::vector<int> types_{};  // of these columns, as scaled
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<PointReader> open_fits(BufferedSource source, const ColumnSelection& wanted) {
  auto file = std::make_unique<FitsFile>(std::move(source));
  go_to_table(*file, wanted.part);
  const FitsColumns found = columns_of(*file);
  const SelectedColumns selected = select_columns(wanted, found.columns);
  std::vector<int> read;
  for (const std::size_t column : selected.read()) read.push_back(found.numbers[column]);
  auto reader = std::make_unique<FitsReader>(std::move(file), std::move(read), selected);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
