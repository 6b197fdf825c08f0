#include "io/volumes/netcdf/netcdf_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestAttribute = 1000;

/// The single text of type NC_STRING, which programs use for non-ASCII text.
std::string string_attribute(const NetcdfFile& file, int variable, const char* name) {
  char* held = nullptr;
  file.check(nc_get_att_string(file.id(), variable, name, &held));
  std::string text = held ? held : "";
  nc_free_string(1, &held);
  return text.size() > kLongestAttribute ? std::string() : text;
}

}  // namespace

std::string text_attribute(const NetcdfFile& file, int variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(file.id(), variable, name, &type, &length) != NC_NOERR) return "";
  if (type == NC_STRING && length == 1)
    return std::string(trimmed(string_attribute(file, variable, name)));
  if (type != NC_CHAR || length > kLongestAttribute) return "";
  std::string text(length, '\0');
  file.check(nc_get_att_text(file.id(), variable, name, text.data()));
  return std::string(trimmed(text.substr(0, text.find('\0'))));
}

std::vector<double> number_attribute(const NetcdfFile& file, int variable, const char* name) {
  std::size_t length = 0;
  if (nc_inq_attlen(file.id(), variable, name, &length) != NC_NOERR) return {};
  nc_type type = NC_NAT;
  file.check(nc_inq_atttype(file.id(), variable, name, &type));
  if (type < NC_BYTE || type > NC_UINT64 || type == NC_CHAR) return {};
  std::vector<double> numbers(length);
  file.check(nc_get_att_double(file.id(), variable, name, numbers.data()));
  return numbers;
}

namespace {

/// A dimension of the variable, with its coordinate variable.
struct Dimension {
  int id = 0;
  std::string name;
  std::size_t size = 0;
  std::optional<int> coordinates;
};

/// In lower case, as CF compares words.
std::string word_of(const NetcdfFile& file, int variable, const char* name) {
  return lower_case(text_attribute(file, variable, name));
}

Dimension dimension_of(const NetcdfFile& file, int id) {
  std::array<char, NC_MAX_NAME + 1> name{};
  Dimension dimension{id, {}, 0, std::nullopt};
  file.check(nc_inq_dim(file.id(), id, name.data(), &dimension.size));
  dimension.name = name.data();
  int variable = 0, dimensions = 0, own = -1;
  if (nc_inq_varid(file.id(), name.data(), &variable) == NC_NOERR &&
      nc_inq_varndims(file.id(), variable, &dimensions) == NC_NOERR && dimensions == 1 &&
      nc_inq_vardimid(file.id(), variable, &own) == NC_NOERR && own == id)
    dimension.coordinates = variable;
  return dimension;
}

/// 'x', 'y', 'z' or 't'; 0 if unknown.
char letter_of(const NetcdfFile& file, const Dimension& dimension) {
  if (dimension.coordinates) {
    const int variable = *dimension.coordinates;
    const std::string axis = word_of(file, variable, "axis"),
                      units = word_of(file, variable, "units");
    if (axis.size() == 1 && std::string_view("xyzt").find(axis[0]) != std::string_view::npos)
      return axis[0];
    if (units.starts_with("degrees_e") || units.starts_with("degree_e")) return 'x';
    if (units.starts_with("degrees_n") || units.starts_with("degree_n")) return 'y';
    if (units.find(" since ") != units.npos) return 't';
    if (!text_attribute(file, variable, "positive").empty()) return 'z';
  }
  using Row = std::pair<std::string_view, char>;
  static constexpr std::array<Row, 4> kNames{
      {{"|x|lon|long|longitude|easting|", 'x'},
       {"|y|lat|latitude|northing|", 'y'},
       {"|z|depth|height|altitude|elevation|lev|level|", 'z'},
       {"|t|time|", 't'}}};
  for (const auto& [names, letter] : kNames)
    if (names.find(fmt::format("|{}|", lower_case(dimension.name))) != names.npos) return letter;
  return 0;
}

struct Line {
  double first = 0;
  std::optional<double> step;  ///< unset if there is only one centre
};

Line read_line(const NetcdfFile& file, const Dimension& dimension) {
  if (!dimension.coordinates) return {0.5, 1};
  std::vector<double> centres(dimension.size);
  file.check(nc_get_var_double(file.id(), *dimension.coordinates, centres.data()));
  if (centres.size() == 1) return {centres[0], std::nullopt};
  const double step = (centres.back() - centres.front()) / static_cast<double>(centres.size() - 1);
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double even = centres[0] + static_cast<double>(i) * step;
    if (!(std::abs(centres[i] - even) <= 1e-3 * std::abs(step)))
      file.fail(fmt::format("its coordinates {} are not evenly spaced", dimension.name));
  }
  return {centres[0], step};
}

/// The dimensions that are axes, in the order of the file.
std::vector<Dimension> spatial_dimensions(const NetcdfFile& file, int variable) {
  int count = 0;
  file.check(nc_inq_varndims(file.id(), variable, &count));
  std::vector<int> ids(static_cast<std::size_t>(count));
  file.check(nc_inq_vardimid(file.id(), variable, ids.data()));
  std::vector<Dimension> dimensions;
  for (const int id : ids) {
    Dimension dimension = dimension_of(file, id);
    if (letter_of(file, dimension) != 't') {
      dimensions.push_back(std::move(dimension));
    } else if (dimension.size != 1) {
      file.fail(fmt::format("it has {} steps of {}, but a volume has one; extract one step",
                            dimension.size, dimension.name));
    }
  }
  if (dimensions.size() != 3)
    file.fail(fmt::format("its variable must have three dimensions besides time; it has {}",
                          dimensions.size()));
  return dimensions;
}

/// The common unit of all dimensions; degrees east and degrees north count as different.
std::string units_of(const NetcdfFile& file, const std::vector<Dimension>& dimensions) {
  std::optional<std::string> common;
  for (const Dimension& dimension : dimensions) {
    const std::string units = dimension.coordinates
                                  ? text_attribute(file, *dimension.coordinates, "units")
                                  : std::string();
    if (common.value_or(units) != units) return "";
    common = units;
  }
  constexpr std::string_view kNoAxis = "1";  // UDUNITS for numbers without units
  return common.value_or("") == kNoAxis ? "" : *common;
}

}  // namespace

NetcdfAxes read_axes(const NetcdfFile& file, int variable, const std::optional<Vec3>& cell_size) {
  const std::vector<Dimension> dimensions = spatial_dimensions(file, variable);
  NetcdfAxes axes;
  axes.units = units_of(file, dimensions);
  std::string found;
  for (std::size_t d = 0; d < 3; ++d) {
    const Dimension& dimension = dimensions[2 - d];  // the last dimension varies fastest
    const char letter = letter_of(file, dimension);
    if (letter == 0)
      file.fail(
          fmt::format("its dimension {} is not x, y or z; give its coordinate variable the "
                      "attribute axis = \"X\", \"Y\" or \"Z\"",
                      excerpt(dimension.name)));
    if (found.find(letter) != found.npos)
      file.fail(fmt::format("two of its dimensions are {}", letter));
    found += letter;
    if (dimension.size == 0 || dimension.size >= std::size_t{1} << 31)
      file.fail("an axis has no cells, or too many");
    const Line line = read_line(file, dimension);
    const auto world = static_cast<std::size_t>(letter - 'x');
    const int axis = letter - 'x';
    axes.file.world[d] = world;
    axes.file.sizes[d] = static_cast<std::int64_t>(dimension.size);
    axes.file.first[axis] = line.first;
    axes.file.step[axis] = line.step ? *line.step : cell_size ? (*cell_size)[axis] : 1;
    axes.placed = axes.placed && dimension.coordinates.has_value();
  }
  return axes;
}

}  // namespace skde::io
