#include "io/points/arrays/hdf5_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostPathsListed = 40;
constexpr hsize_t kMostSetColumns = 4096;

[[noreturn]] void refuse_hdf5(const std::string& name, const std::string& why,
                              std::string suggestion = "name one as FILE:/DATASET") {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, why), {{}, std::move(suggestion)});
}

bool is_number_type(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

/// The paths of all data sets in the file.
std::vector<std::string> dataset_paths(const Hdf5Handle& file) {
  std::vector<std::string> paths;
  const auto visit = [](hid_t, const char* path, const H5O_info_t* info, void* to) -> herr_t {
    if (info->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(to)->push_back(std::string("/") + path);
    return 0;
  };
  H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &paths, H5O_INFO_BASIC);
  return paths;
}

std::string listed_paths(const std::vector<std::string>& paths) {
  std::string list;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostPathsListed); ++i)
    list.append(list.empty() ? "" : ", ").append(excerpt(paths[i]));
  if (paths.size() > kMostPathsListed) list += ", ...";
  return list.empty() ? "no data set" : list;
}

struct Dataset {
  Hdf5Handle id, type;
  std::vector<hsize_t> shape;
};

/// Returns true for a dimension of NetCDF without values, which its library marks by this text.
bool is_bare_dimension(const Hdf5Handle& set) {
  if (H5Aexists(set.id(), "NAME") <= 0) return false;
  const Hdf5Handle attribute(H5Aopen(set.id(), "NAME", H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0) return false;
  std::string text(H5Tget_size(type.id()), ' ');
  return H5Aread(attribute.id(), type.id(), text.data()) >= 0 &&
         text.starts_with("This is a netCDF dimension but not a netCDF variable.");
}

std::optional<Dataset> open_dataset(const Hdf5Handle& file, const std::string& path) {
  Dataset set{{H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose}, {}, {}};
  if (!set.id || is_bare_dimension(set.id)) return std::nullopt;
  set.type = Hdf5Handle(H5Dget_type(set.id.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(set.id.id()), H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (!set.type || rank < 0) return std::nullopt;
  set.shape.resize(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), set.shape.data(), nullptr);
  return set;
}

void add_members(const Dataset& set, const std::string& path, Hdf5Columns& found) {
  const int count = H5Tget_nmembers(set.type.id());
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<char, herr_t (*)(void*)> name(
        H5Tget_member_name(set.type.id(), static_cast<unsigned>(i)), H5free_memory);
    const Hdf5Handle type(H5Tget_member_type(set.type.id(), static_cast<unsigned>(i)), H5Tclose);
    if (!name) continue;
    if (is_number_type(type.id()))
      found.columns.push_back({name.get(), path, name.get(), -1});
    else
      found.left_out.emplace_back(name.get());
  }
}

/// The numeric data sets below a group, and the number of values of each.
std::vector<std::pair<Hdf5Column, hsize_t>> columns_below(const Hdf5Handle& file,
                                                          const std::string& group) {
  std::vector<std::pair<Hdf5Column, hsize_t>> columns;
  for (const std::string& path : dataset_paths(file)) {
    const std::size_t slash = path.rfind('/');
    if (path.substr(0, slash) != group) continue;
    const auto set = open_dataset(file, path);
    if (!set || set->shape.size() != 1 || !is_number_type(set->type.id())) continue;
    columns.push_back({{path.substr(slash + 1), path, "", -1}, set->shape[0]});
  }
  return columns;
}

/// Adds the names of the other data sets below a group that have something for each row.
void add_left_out(const Hdf5Handle& file, const std::string& group, Hdf5Columns& found) {
  for (const std::string& path : dataset_paths(file)) {
    const std::size_t slash = path.rfind('/');
    if (path.substr(0, slash) != group ||
        std::ranges::find(found.columns, path, &Hdf5Column::dataset) != found.columns.end())
      continue;
    const auto set = open_dataset(file, path);
    if (set && !set->shape.empty() && set->shape[0] == found.rows)
      found.left_out.push_back(path.substr(slash + 1));
  }
}

/// Adds the numeric data sets of `rows` values below a group.
void add_group(const Hdf5Handle& file, const std::string& group, hsize_t rows, Hdf5Columns& found) {
  for (auto& [column, numbers] : columns_below(file, group))
    if (numbers == rows) found.columns.push_back(std::move(column));
  found.rows = rows;
  add_left_out(file, group, found);
}

/// Number of values of a group's coordinates: of the columns that are asked for, or that have usual
/// names of coordinates; otherwise the number that most columns have.
hsize_t rows_of_group(const std::vector<std::pair<Hdf5Column, hsize_t>>& columns,
                      const ColumnSelection& wanted) {
  std::vector<std::string> names;
  std::map<hsize_t, std::size_t> columns_by_rows;
  for (const auto& [column, numbers] : columns) {
    names.push_back(column.name);
    ++columns_by_rows[numbers];
  }
  if (!wanted.coordinates.empty()) {
    const std::string first = lower_case(wanted.coordinates[0]);
    for (const auto& [column, numbers] : columns)
      if (lower_case(column.name) == first) return numbers;
  } else if (const auto xyz = coordinates_among(names).xyz) {
    return columns[(*xyz)[0]].second;
  }
  const auto most =
      std::ranges::max_element(columns_by_rows, {}, [](const auto& entry) { return entry.second; });
  return most == columns_by_rows.end() ? 0 : most->first;
}

/// Three rows may be x, y and z, as written by programs whose arrays are column-major.
void refuse_lying(const std::string& name, const std::string& path, const Dataset& set,
                  const ColumnSelection& wanted) {
  if (set.shape[0] != 3 || set.shape[1] <= 3 || !wanted.coordinates.empty()) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: {} of shape (3, {}) is ambiguous: 3 samples, or x, y and z in rows",
                          name, excerpt(path), set.shape[1]),
              {"columns", "save its transpose, or name three columns with `columns=1,2,3`"});
}

std::string with_slash(std::string part) {
  if (!part.starts_with('/')) part = "/" + part;
  while (part.size() > 1 && part.ends_with('/')) part.pop_back();
  return part;
}

/// The part that is meant if none is named.
std::string default_part(const std::string& name, const std::vector<std::string>& paths) {
  std::vector<std::string> meant;
  for (const std::string& path : paths)
    if (path == "/locs" || (path.starts_with("/PartType") && path.ends_with("/Coordinates")))
      meant.push_back(path);
  if (meant.size() == 1) return meant[0];
  if (meant.empty() && paths.size() == 1) return paths[0];
  refuse_hdf5(name, fmt::format("holds {}", listed_paths(meant.empty() ? paths : meant)));
}

Hdf5Columns columns_of(const Hdf5Handle& file, const std::string& name, const std::string& path,
                       const Dataset& set, const ColumnSelection& wanted) {
  Hdf5Columns found;
  if (set.shape.size() == 1 && H5Tget_class(set.type.id()) == H5T_COMPOUND) {
    found.rows = set.shape[0];
    add_members(set, path, found);
    return found;
  }
  if (set.shape.size() == 2 && is_number_type(set.type.id())) refuse_lying(name, path, set, wanted);
  if (set.shape.size() != 2 || set.shape[1] < 3 || set.shape[1] > kMostSetColumns ||
      !is_number_type(set.type.id()))
    refuse_hdf5(
        name,
        fmt::format("{} is neither a table of records nor an array of shape (N, 3) or wider",
                    excerpt(path)),
        "name another object as FILE:/DATASET, or a group whose columns are data sets");
  constexpr std::array<const char*, 3> kNames{"x", "y", "z"};
  for (std::size_t i = 0; i < set.shape[1]; ++i)
    found.columns.push_back({i < 3 ? kNames[i] : "", path, "", static_cast<std::int64_t>(i)});
  add_group(file, path.substr(0, path.rfind('/')), set.shape[0], found);
  return found;
}

}  // namespace

Hdf5Handle open_hdf5_file(BufferedSource source) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // skde reports the errors itself
  const std::string name = source.name();
  const ReopenedFile file(std::move(source), "HDF5");
  Hdf5Handle opened = open_hdf5_path(file.path(), file.is_copy());
  const std::optional<std::string> elsewhere =
      opened ? storage_elsewhere(opened.id()) : std::nullopt;
  if (!elsewhere)
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read as HDF5; the file is truncated or broken", name),
                {{}, "fetch it again"});
  if (!elsewhere->empty())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: cannot be read as HDF5: it has {}, so its values are in other files", name,
                    *elsewhere),
        {{}, "copy them into it with 'h5repack'"});
  return opened;
}

Hdf5Columns find_hdf5_columns(const Hdf5Handle& file, const std::string& name,
                              const ColumnSelection& wanted) {
  const std::vector<std::string> paths = dataset_paths(file);
  std::string path = with_slash(wanted.part.empty() ? default_part(name, paths) : wanted.part);
  const std::string coordinates = path + "/Coordinates";
  if (std::ranges::count(paths, coordinates) > 0) path = coordinates;
  if (const auto set = open_dataset(file, path)) return columns_of(file, name, path, *set, wanted);
  const std::string group = path == "/" ? "" : path;
  Hdf5Columns found;
  add_group(file, group, rows_of_group(columns_below(file, group), wanted), found);
  if (found.columns.size() < 3)
    refuse_hdf5(name,
                fmt::format("has no object {}; it holds {}", excerpt(path), listed_paths(paths)));
  return found;
}

}  // namespace skde::io
