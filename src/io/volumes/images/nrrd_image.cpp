#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostNrrdLines = 10000;

/// The fields "key: value", and skde's own, "key:=value".
struct Entries {
  std::string name;  // of the file
  std::map<std::string, std::string, std::less<>> values;
  VolumeFields fields;

  std::string_view at(std::string_view key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string_view() : std::string_view(found->second);
  }
  bool has(std::string_view key) const { return values.contains(key); }
};

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\\' && i + 1 < text.size();
    result += !pair ? text[i] : text[i + 1] == 'n' ? '\n' : text[i + 1];
    if (pair) ++i;
  }
  return result;
}

/// Normalises the spelling of a key.
std::string plain_key(std::string_view key) {
  using Row = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Row, 7> kOthers{{{"axismins", "axis mins"},
                                               {"axismaxs", "axis maxs"},
                                               {"centers", "centerings"},
                                               {"datafile", "data file"},
                                               {"lineskip", "line skip"},
                                               {"byteskip", "byte skip"},
                                               {"blocksize", "block size"}}};
  std::string plain = lower_case(trimmed(key));
  for (const auto& [other, name] : kOthers)
    if (plain == other) return std::string(name);
  return plain;
}

Entries read_nrrd_entries(BufferedSource& source) {
  const auto first = source.line();
  if (!first || !first->starts_with("NRRD"))
    refuse_volume(source.name(), "its first line is not that of an NRRD file");
  Entries entries{source.name(), {}, {}};
  std::size_t lines = 0;
  while (const auto line = source.line()) {
    if (line->empty()) return entries;
    if (++lines > kMostNrrdLines) refuse_volume(source.name(), "its header does not end");
    if (line->front() == '#') continue;
    const std::size_t colon = line->find(": "), key = line->find(":=");
    if (key != line->npos && key < colon) {
      auto field = field_from_text(line->substr(0, key), unescaped(line->substr(key + 2)));
      if (field) entries.fields.push_back(std::move(*field));
      continue;
    }
    const std::size_t end = line->find(':');
    if (end == line->npos)
      refuse_volume(source.name(), fmt::format("header line {} cannot be parsed", excerpt(*line)));
    entries.values[plain_key(line->substr(0, end))] = std::string(trimmed(line->substr(end + 1)));
  }
  if (!entries.has("data file"))
    refuse_volume(source.name(), "ends inside its header, or its values are in another file");
  return entries;
}

/// The numbers of an entry, however they are separated; NaN for "none".
std::vector<double> numbers_in(const Entries& entries, std::string_view key) {
  std::string plain(entries.at(key));
  for (char& c : plain)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  std::vector<double> values;
  for (const std::string_view word : split_words(plain)) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (word != "none" && !parse_number(word, value))
      refuse_volume(entries.name, fmt::format("{} is not a number", excerpt(word)));
    values.push_back(value);
  }
  return values;
}

/// Three numbers, NaN for each that the file does not state.
Vec3 known_in(const Entries& entries, std::string_view key) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (!entries.has(key)) return {kUnknown, kUnknown, kUnknown};
  const std::vector<double> v = numbers_in(entries, key);
  if (v.size() != 3)
    refuse_volume(entries.name, fmt::format("its '{}' must be three numbers", key));
  return {v[0], v[1], v[2]};
}

bool is_known(Vec3 v) { return !std::isnan(v.x) && !std::isnan(v.y) && !std::isnan(v.z); }

/// Three numbers; unset if the entry is missing or one of them is unknown.
std::optional<Vec3> vector_in(const Entries& entries, std::string_view key) {
  const Vec3 v = known_in(entries, key);
  return is_known(v) ? std::optional(v) : std::nullopt;
}

std::array<std::int64_t, 3> sizes_in(const Entries& entries) {
  const std::vector<double> given = numbers_in(entries, "sizes");
  if (entries.at("dimension") != "3" || given.size() != 3)
    refuse_volume(entries.name, "must have three dimensions");
  std::array<std::int64_t, 3> sizes{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (given[axis] != std::floor(given[axis]))
      refuse_volume(entries.name, fmt::format("its sizes must be three integers; got {}",
                                              excerpt(entries.at("sizes"))));
    sizes[axis] =
        given[axis] >= 1 && given[axis] < 0x1p31 ? static_cast<std::int64_t>(given[axis]) : 0;
  }
  return sizes;
}

/// Axes from `space directions` and `space origin`.
FileAxes axes_in_space(const Entries& entries, const std::array<std::int64_t, 3>& sizes) {
  const std::vector<double> m = numbers_in(entries, "space directions");
  if (m.size() != 9)
    refuse_volume(entries.name, "its space directions must be three vectors of three numbers");
  const Vec3 first = vector_in(entries, "space origin").value_or(Vec3{});
  return axes_along(entries.name, sizes, first,
                    {Vec3{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}});
}

/// True for axes whose values are at nodes, and so on the bounds. Values of other axes are in the
/// middle of cells.
std::array<bool, 3> at_nodes(const Entries& entries) {
  const std::string centerings = lower_case(entries.at("centerings"));
  const std::vector<std::string_view> words = split_words(centerings);
  std::array<bool, 3> nodes{};
  for (std::size_t axis = 0; axis < std::min<std::size_t>(3, words.size()); ++axis)
    nodes[axis] = words[axis] == "node";
  return nodes;
}

/// Distance between values along each axis; 1 along all axes if the file states none.
Vec3 steps_by_ends(const Entries& entries, const std::array<std::int64_t, 3>& sizes) {
  const Vec3 mins = known_in(entries, "axis mins"), maxs = known_in(entries, "axis maxs");
  const std::array<bool, 3> nodes = at_nodes(entries);
  Vec3 step = known_in(entries, "spacings");
  int unknown = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto count = static_cast<double>(nodes[a] ? sizes[a] - 1 : sizes[a]);
    const double length = maxs[axis] - mins[axis];
    // A single node spans no interval that could be divided into steps.
    if (std::isnan(step[axis])) step[axis] = count == 0 && length == 0 ? 1 : length / count;
    if (std::isnan(step[axis])) ++unknown;
  }
  if (unknown == 3) return {1, 1, 1};
  if (unknown > 0)
    refuse_volume(entries.name, "gives the spacing of some axes only",
                  "give its header three 'spacings'");
  return step;
}

/// Axes from `spacings`, `axis mins` and `axis maxs`.
FileAxes axes_by_ends(const Entries& entries, const std::array<std::int64_t, 3>& sizes) {
  const std::optional<Vec3> mins = vector_in(entries, "axis mins");
  const std::array<bool, 3> nodes = at_nodes(entries);
  FileAxes axes{sizes, {0, 1, 2}, {}, steps_by_ends(entries, sizes)};
  for (int axis = 0; mins && axis < 3; ++axis)
    axes.first[axis] =
        (*mins)[axis] + (nodes[static_cast<std::size_t>(axis)] ? 0 : 0.5 * axes.step[axis]);
  return axes;
}

/// The quoted units, one per axis, if all axes have the same.
std::string units_in(std::string_view text) {
  std::vector<std::string_view> units;
  for (std::size_t open = text.find('"'); open != text.npos; open = text.find('"')) {
    const std::size_t close = text.find('"', open + 1);
    if (close == text.npos) break;
    units.push_back(trimmed(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
  constexpr std::string_view kUnknown = "???";
  const bool same = units.size() == 3 && units[1] == units[0] && units[2] == units[0];
  return same && units[0] != kUnknown ? std::string(units[0]) : std::string();
}

ScalarType type_in(const Entries& entries) {
  using Row = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<Row, 10> kTypes{
      {{"|float|", ScalarType::f32},
       {"|double|", ScalarType::f64},
       {"|signed char|int8|int8_t|", ScalarType::i8},
       {"|uchar|unsigned char|uint8|uint8_t|", ScalarType::u8},
       {"|short|short int|signed short|signed short int|int16|int16_t|", ScalarType::i16},
       {"|ushort|unsigned short|unsigned short int|uint16|uint16_t|", ScalarType::u16},
       {"|int|signed int|int32|int32_t|", ScalarType::i32},
       {"|uint|unsigned int|uint32|uint32_t|", ScalarType::u32},
       {"|longlong|long long|long long int|signed long long|signed long long int|int64|int64_t|",
        ScalarType::i64},
       {"|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|", ScalarType::u64}}};
  const std::string given = lower_case(entries.at("type"));
  for (const auto& [names, type] : kTypes)
    if (names.find(fmt::format("|{}|", given)) != names.npos) return type;
  refuse_volume(entries.name, fmt::format("values of type {} are not supported", excerpt(given)));
}

/// Sets how the values are encoded; returns whether they are raw.
bool settle_encoding(const Entries& entries, ImageHeader& header) {
  using Packing = ImageHeader::Packing;
  const std::string given = lower_case(entries.at("encoding"));
  header.text = given == "ascii" || given == "text" || given == "txt";
  if (given == "gzip" || given == "gz") header.packing = Packing::zlib;
  if (given == "bzip2" || given == "bz2") header.packing = Packing::bzip2;
  const bool raw = given == "raw";
  if (!raw && !header.text && header.packing == Packing::none)
    refuse_volume(entries.name, fmt::format("encoding {} is not supported", excerpt(given)),
                  "save it as raw, ascii, gzip or bzip2");
  return raw;
}

std::int64_t skip_in(const Entries& entries, std::string_view key, double least) {
  if (!entries.has(key)) return 0;
  const std::vector<double> given = numbers_in(entries, key);
  if (given.size() != 1 || !(given[0] >= least) || given[0] > 0x1p53 ||
      given[0] != std::floor(given[0]))
    refuse_volume(entries.name, fmt::format("its '{}' is {}, which is not supported", key,
                                            excerpt(entries.at(key))));
  return static_cast<std::int64_t>(given[0]);
}

/// The byte order must be stated if it matters: either order yields plausible numbers.
void settle_endian(const std::string& endian, ImageHeader& header) {
  header.big_endian = endian == "big";
  const bool matters = size_of(header.type) > 1 && !header.text;
  if (!matters || endian == "little" || endian == "big") return;
  header.refusal = endian.empty() ? "does not state the 'endian' of its values"
                                  : fmt::format("its 'endian' must be 'little' or 'big'; got {}",
                                                excerpt(endian));
  header.remedy = "add 'endian: little' or 'endian: big' to its header";
}

/// `text` on one line, escaped like the values of NRRD keys.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return on_one_line(result);
}

/// Returns the header up to the empty line that ends it, with the blanks in a comment. Without a
/// space field, Slicer would mirror x and y.
std::string header_text(const Grid& grid, Precision precision, std::string_view units,
                        const VolumeFields& fields, std::size_t blanks) {
  const Vec3 origin = grid.first_centre(), &step = grid.spacing;
  std::string text = fmt::format(
      "NRRD0005\n# density volume\ntype: {}\ndimension: 3\nspace: right-anterior-superior\nsizes: "
      "{} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\nkinds: space space space\n"
      "centerings: cell cell cell\nendian: little\nencoding: raw\nspace origin: ({},{},{})\n",
      precision == Precision::f32 ? "float" : "double", grid.dims[0], grid.dims[1], grid.dims[2],
      step.x, step.y, step.z, origin.x, origin.y, origin.z);
  if (!units.empty()) {
    std::string unit = on_one_line(units);
    std::ranges::replace(unit, '"', '\'');
    text += fmt::format("space units: \"{0}\" \"{0}\" \"{0}\"\n", unit);
  }
  for (const VolumeField& field : fields)
    text += fmt::format("{}:={}\n", field.name, escaped(field_text(field, " ")));
  return text + fmt::format("#{:{}}\n\n", "", blanks);
}

}  // namespace

ImageHeader read_nrrd_header(BufferedSource& source, const OpenFiles&) {
  const Entries entries = read_nrrd_entries(source);
  ImageHeader header;
  const std::array<std::int64_t, 3> sizes = sizes_in(entries);
  const bool in_space = entries.has("space directions");
  header.axes = in_space ? axes_in_space(entries, sizes) : axes_by_ends(entries, sizes);
  header.head.placed = vector_in(entries, in_space ? "space origin" : "axis mins").has_value();
  header.head.grid = exact_grid(grid_along(entries.name, header.axes), entries.fields);
  header.head.metadata = metadata_from(entries.fields);
  if (std::string& units = header.head.metadata.units; units.empty())
    units = units_in(entries.at(in_space ? "space units" : "units"));
  header.space = lower_case(entries.at("space"));
  header.type = type_in(entries);
  const bool raw = settle_encoding(entries, header);
  settle_endian(lower_case(entries.at("endian")), header);
  header.data_file = entries.at("data file");
  header.line_skip = static_cast<std::uint64_t>(skip_in(entries, "line skip", 0));
  header.byte_skip = skip_in(entries, "byte skip", raw ? -1 : 0);
  header.skip_key = "'byte skip'";
  if (header.packing != ImageHeader::Packing::none)  // it counts unpacked bytes
    header.unpacked_skip = static_cast<std::uint64_t>(std::exchange(header.byte_skip, 0));
  return header;
}

VolumeFrame nrrd_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata) {
  return {header_text(grid, precision, metadata.units, fields_of(metadata, grid), 0), ""};
}

std::unique_ptr<VolumeWriter> nrrd_writer(const std::string& path, const Grid& grid,
                                          Precision precision, const DensityMetadata& expected) {
  return headed_writer(path, grid, precision, expected,
                       [=, units = expected.units](const VolumeFields& fields, std::size_t blanks) {
                         return header_text(grid, precision, units, fields, blanks);
                       });
}

}  // namespace skde::io
