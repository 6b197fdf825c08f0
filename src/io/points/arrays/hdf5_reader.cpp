#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/arrays/hdf5_columns.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/hdf5_handle.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {
namespace {

constexpr hssize_t kMostAttributeValues = 4096;

struct Attribute {
  Hdf5Handle id, type;
  hssize_t values = 0;
};

std::optional<Attribute> open_attribute(const Hdf5Handle& set, const char* name) {
  if (H5Aexists(set.id(), name) <= 0) return std::nullopt;
  Attribute attribute{{H5Aopen(set.id(), name, H5P_DEFAULT), H5Aclose}, {}};
  attribute.type = Hdf5Handle(H5Aget_type(attribute.id.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id.id()), H5Sclose);
  attribute.values = space ? H5Sget_simple_extent_npoints(space.id()) : 0;
  return attribute;
}

/// Empty if there is no such attribute, or it holds no numbers.
std::vector<double> attribute_numbers(const Hdf5Handle& set, const char* name) {
  const std::optional<Attribute> attribute = open_attribute(set, name);
  if (!attribute || attribute->values < 1 || attribute->values > kMostAttributeValues) return {};
  const H5T_class_t kind = H5Tget_class(attribute->type.id());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return {};
  std::vector<double> numbers(static_cast<std::size_t>(attribute->values));
  if (H5Aread(attribute->id.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) return {};
  return numbers;
}

/// Empty if there is no such attribute, or it is not a single text.
std::string attribute_text(const Hdf5Handle& set, const char* name) {
  const std::optional<Attribute> attribute = open_attribute(set, name);
  if (!attribute || attribute->values != 1 || H5Tget_class(attribute->type.id()) != H5T_STRING)
    return "";
  if (H5Tis_variable_str(attribute->type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute->id.id(), attribute->type.id(), &text) < 0 || text == nullptr) return "";
    const std::string kept = text;
    H5free_memory(text);
    return kept;
  }
  std::string text(H5Tget_size(attribute->type.id()), '\0');
  if (H5Aread(attribute->id.id(), attribute->type.id(), text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

/// Reads a factor or an offset; returns `other` if there is none.
double one_number(const Hdf5Handle& set, const char* attribute, double other,
                  const std::string& name, const std::string& path) {
  if (H5Aexists(set.id(), attribute) <= 0) return other;
  const std::vector<double> numbers = attribute_numbers(set, attribute);
  if (numbers.size() == 1 && std::isfinite(numbers[0])) return numbers[0];
  throw Error(ErrorKind::input,
              fmt::format("{}: the attribute {} of {} must be a single number", name, attribute,
                          excerpt(path)),
              {{}, "write it as one number, or store the decoded values"});
}

/// NetCDF's default fill value, but only if the data set uses just that: other programs fill with
/// nothing or 0.
std::optional<double> usual_fill(const Hdf5Handle& set, bool whole, bool is_signed,
                                 std::size_t bytes) {
  const std::optional<double> usual = netcdf_fill(whole, is_signed, bytes);
  const Hdf5Handle plan(H5Dget_create_plist(set.id()), H5Pclose);
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  double fill = 0;
  if (!usual || !plan || H5Pfill_value_defined(plan.id(), &defined) < 0 ||
      defined != H5D_FILL_VALUE_USER_DEFINED ||
      H5Pget_fill_value(plan.id(), H5T_NATIVE_DOUBLE, &fill) < 0 || fill != *usual)
    return std::nullopt;
  return usual;
}

/// Returns how the numbers of a data set are packed, by the CF attributes scale_factor, add_offset,
/// _FillValue, missing_value, valid_range, valid_min, valid_max and _Unsigned. Without _FillValue
/// it uses the default fill value of NetCDF-4, which is HDF5. Throws Error(input) if a factor or an
/// offset is not one number. `name` is the name of the file, `path` that of the data set.
ValuePacking hdf5_packing(const Hdf5Handle& set, const std::string& name, const std::string& path) {
  const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
  ValuePacking packing;
  const H5T_class_t kind = type ? H5Tget_class(type.id()) : H5T_NO_CLASS;
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return packing;
  const bool whole = kind == H5T_INTEGER;
  const bool is_signed = !whole || H5Tget_sign(type.id()) == H5T_SGN_2;
  const std::size_t bytes = H5Tget_size(type.id());
  if (whole && is_signed && lower_case(attribute_text(set, "_Unsigned")) == "true")
    packing.wrap = std::ldexp(1.0, static_cast<int>(8 * bytes));
  packing.take_attributes([&](const char* attribute) { return attribute_numbers(set, attribute); },
                          !whole && bytes == 4, usual_fill(set, whole, is_signed, bytes));
  packing.factor = one_number(set, "scale_factor", 1, name, path);
  packing.offset = one_number(set, "add_offset", 0, name, path);
  return packing;
}

constexpr std::size_t kHdf5RowsAtOnce = std::size_t{1} << 16;

/// Opens a data set of which so many columns are read. A packed chunk is unpacked once for all of
/// its rows and columns: the library keeps the chunks that rows meet, and the next ones. By itself
/// it keeps none above 1 MiB. Whoever opens the set later shares them.
Hdf5Handle open_cached(const Hdf5Handle& file, const std::string& path, std::size_t columns) {
  Hdf5Handle set(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle plan(set ? H5Dget_create_plist(set.id()) : -1, H5Pclose);
  if (!plan || H5Pget_layout(plan.id()) != H5D_CHUNKED) return set;
  const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
  std::array<hsize_t, 2> chunk{1, 1};
  const int rank = H5Pget_chunk(plan.id(), 2, chunk.data());
  if (!type || rank < 1 || rank > 2) return set;
  const std::size_t bytes = H5Tget_size(type.id()) * static_cast<std::size_t>(chunk[0] * chunk[1]),
                    across = chunk[1] < columns ? columns : 1;
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT,
                     std::max(std::size_t{1} << 20, 2 * across * bytes),
                     H5D_CHUNK_CACHE_W0_DEFAULT);
  set = {};  // the first to open it decides
  return {H5Dopen2(file.id(), path.c_str(), access.id()), H5Dclose};
}

/// An open column: its data set, and which values of it are read.
class OpenColumn {
 public:
  OpenColumn(const Hdf5Handle& file, const std::string& name, const Hdf5Column& column,
             std::size_t columns)
      : path_(column.dataset),
        column_(column.column),
        set_(open_cached(file, column.dataset, columns)),
        type_(H5Dget_type(set_.id()), H5Tclose),
        packing_(hdf5_packing(set_, name, path_)) {
    const int member =
        column.member.empty() ? -1 : H5Tget_member_index(type_.id(), column.member.c_str());
    if (member >= 0)
      type_ = {H5Tget_member_type(type_.id(), static_cast<unsigned>(member)), H5Tclose};
    // Doubles may round integers of 64 bits, so these are read as they are.
    if (H5Tget_class(type_.id()) == H5T_INTEGER && H5Tget_size(type_.id()) == sizeof(double) &&
        packing_.keeps_numbers())
      whole_ = H5Tget_sign(type_.id()) == H5T_SGN_NONE ? ScalarType::u64 : ScalarType::i64;
    const hid_t memory = whole_ == ScalarType::u64   ? H5T_NATIVE_UINT64
                         : whole_ == ScalarType::i64 ? H5T_NATIVE_INT64
                                                     : H5T_NATIVE_DOUBLE;
    type_ = {member < 0 ? H5Tcopy(memory) : H5Tcreate(H5T_COMPOUND, sizeof(double)), H5Tclose};
    if (member >= 0) H5Tinsert(type_.id(), column.member.c_str(), 0, memory);
  }

  const std::string& path() const { return path_; }

  /// Returns false if the library cannot read these rows. Notes rests of this column, by its place.
  bool read(std::uint64_t first, std::size_t count, double* to, std::size_t place,
            CarriedRows& carried) const {
    const Hdf5Handle space(H5Dget_space(set_.id()), H5Sclose);
    const std::array<hsize_t, 2> start{first,
                                       static_cast<hsize_t>(std::max<std::int64_t>(column_, 0))},
        extent{count, 1};
    if (!space || H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr,
                                      extent.data(), nullptr) < 0)
      return false;
    const Hdf5Handle memory(H5Screate_simple(1, extent.data(), nullptr), H5Sclose);
    if (H5Dread(set_.id(), type_.id(), memory.id(), space.id(), H5P_DEFAULT, to) < 0) return false;
    constexpr bool kBig = std::endian::native == std::endian::big;
    const auto* const bytes = reinterpret_cast<const char*>(to);
    carried.note_all(whole_, kBig, bytes, sizeof(double), count, 0, place);
    if (whole_ != ScalarType::f64)
      column_converter(whole_, kBig)(bytes, sizeof(double), count, to, 1);
    if (packing_.is_plain()) return true;
    for (std::size_t i = 0; i < count; ++i) to[i] = packing_.value(to[i]);
    std::erase_if(carried.rests, [&](const CarriedRows::Rest& rest) {
      return rest.column == place && std::isnan(to[rest.row]);
    });
    return true;
  }

  /// Returns true if values are stored, not only declared.
  bool has_values() const { return H5Dget_storage_size(set_.id()) > 0; }

 private:
  std::string path_;
  std::int64_t column_;
  Hdf5Handle set_, type_;
  ValuePacking packing_;
  ScalarType whole_ = ScalarType::f64;  ///< of the values in memory
};

class Hdf5Reader final : public ColumnReader {
 public:
  Hdf5Reader(std::string name, Hdf5Handle file, std::uint64_t rows,
             const std::vector<Hdf5Column>& columns, const SelectedColumns& selected)
      : ColumnReader(selected, kHdf5RowsAtOnce), name_(std::move(name)), file_(std::move(file)) {
    set_rows(0, rows);
    columns_.reserve(columns.size());
    for (const Hdf5Column& column : columns) {
      columns_.emplace_back(file_, name_, column,
                            static_cast<std::size_t>(
                                std::ranges::count(columns, column.dataset, &Hdf5Column::dataset)));
      if (rows > 0 && !columns_.back().has_values())
        throw Error(ErrorKind::input, fmt::format("{}: {} declares {} rows, but holds no values",
                                                  name_, columns_.back().path(), rows));
    }
  }

  std::uint64_t bytes_read() const override { return done() * columns_.size() * sizeof(double); }
  /// Unknown: the size of packed data says nothing about the number of rows.
  std::uint64_t bytes_total() const override { return 0; }

 private:
  void read_column(std::size_t i, std::size_t count, double* to, std::size_t step) override {
    values_.resize(count);
    if (!columns_[i].read(done(), count, values_.data(), i, carried_))
      throw Error(ErrorKind::input,
                  fmt::format("{}: rows {} to {} of {} cannot be read; the file is truncated or "
                              "broken, or its filter is not installed",
                              name_, done() + 1, done() + count, columns_[i].path()),
                  {{}, "fetch it again, or repack it with 'h5repack -f GZIP=1'"});
    for (std::size_t row = 0; row < count; ++row) to[step * row] = values_[row];
  }

  std::string name_;
  Hdf5Handle file_;
  std::vector<OpenColumn> columns_;  // x, y, z, then weight and bandwidths, if they are read
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<PointReader> open_hdf5(BufferedSource source, const ColumnSelection& wanted) {
  const std::string name = source.name();
  Hdf5Handle file = open_hdf5_file(std::move(source));
  const Hdf5Columns found = find_hdf5_columns(file, name, wanted);
  FileColumns columns{name, {}, std::vector<bool>(found.columns.size(), true)};
  for (const Hdf5Column& column : found.columns) columns.names.push_back(column.name);
  columns.left_out = found.left_out;
  const SelectedColumns selected = select_columns(wanted, columns);
  std::vector<Hdf5Column> read;
  for (const std::size_t column : selected.read()) read.push_back(found.columns[column]);
  auto reader = std::make_unique<Hdf5Reader>(name, std::move(file), found.rows, read, selected);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
