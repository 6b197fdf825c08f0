#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/clouds/laz_points.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr const char *kMetre = "m", *kFoot = "ft", *kSurveyFoot = "US_survey_foot";

struct Units {
  std::string horizontal, vertical;
};

std::string unit_of_code(std::uint64_t code) {
  switch (code) {
    case 9001:
      return kMetre;
    case 9002:
      return kFoot;
    case 9003:
      return kSurveyFoot;
    default:
      return "";
  }
}

/// The GeoTIFF key directory. Each key has four numbers. The first key holds the count of keys.
Units units_in_keys(std::string_view keys) {
  constexpr std::uint64_t kModel = 1024, kGeographic = 2, kLinearUnits = 3076, kVertical = 4099;
  constexpr std::size_t kRecordBytes = 8;
  Units units;
  if (keys.size() < kRecordBytes) return units;
  const std::size_t count =
      std::min<std::size_t>(little_endian(keys, 6, 2), keys.size() / kRecordBytes - 1);
  for (std::size_t i = 1; i <= count; ++i) {
    const std::uint64_t key = little_endian(keys, kRecordBytes * i, 2),
                        value = little_endian(keys, kRecordBytes * i + 6, 2);
    const bool stands_here = little_endian(keys, kRecordBytes * i + 2, 2) == 0;
    if (!stands_here) continue;
    if (key == kModel && value == kGeographic) units.horizontal = "degrees";
    if (key == kLinearUnits) units.horizontal = unit_of_code(value);
    if (key == kVertical) units.vertical = unit_of_code(value);
  }
  return units;
}

std::string unit_of_name(std::string_view name) {
  const std::string low = lower_case(name);
  if (low.starts_with("met")) return kMetre;
  const bool foot = low.find("foot") != low.npos || low.find("feet") != low.npos || low == "ft";
  if (foot) return low.find("us") != low.npos || low.find("u.s") != low.npos ? kSurveyFoot : kFoot;
  return low.starts_with("degree") ? "degrees" : "";
}

/// The unit that belongs directly to a node of the text, not to a nested node.
std::string unit_of_node(std::string_view text, std::string_view node) {
  const std::size_t begin = text.find(node);
  if (begin == text.npos) return "";
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    constexpr std::string_view kUnit = "UNIT[\"";
    if (depth == 1 && text.substr(i).starts_with(kUnit)) {
      const std::string_view name = text.substr(i + kUnit.size());
      return unit_of_name(name.substr(0, name.find('"')));
    }
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (depth == 0 && text[i] == ']') break;
  }
  return "";
}

Units units_in_text(std::string_view text) {
  Units units{unit_of_node(text, "PROJCS["), unit_of_node(text, "VERT_CS[")};
  const bool projected = text.find("PROJCS[") != text.npos;
  if (!projected && text.find("GEOGCS[") != text.npos)
    units.horizontal = unit_of_node(text, "GEOGCS[");
  return units;
}

/// Calls `take` with the owner, the number and the content of each of the `count` variable length
/// records after the header of a LAS file.
void each_las_record(
    std::string_view records, std::uint64_t count,
    const std::function<void(std::string_view, std::uint64_t, std::string_view)>& take) {
  constexpr std::size_t kHead = 54;
  for (; count > 0 && records.size() >= kHead; --count) {
    const auto bytes = static_cast<std::size_t>(little_endian(records, 20, 2));
    const std::string_view owner = records.substr(2, 16);
    take(owner.substr(0, owner.find('\0')), little_endian(records, 18, 2),
         records.substr(kHead, bytes));
    records.remove_prefix(std::min(records.size(), kHead + bytes));
  }
}

/// Returns the units of x, y and z from the coordinate system that a LAS file states in its
/// variable length records, as GeoTIFF keys or well-known text; empty if it states no known unit. z
/// has the unit of x and y unless another is stated. `records` holds the bytes after the header.
std::array<std::string, 3> las_units(std::string_view records, std::uint64_t count) {
  constexpr std::uint64_t kKeys = 34735, kText = 2112;
  Units units;
  each_las_record(records, count, [&](auto owner, std::uint64_t number, auto content) {
    if (owner != "LASF_Projection") return;
    if (number == kKeys) units = units_in_keys(content);
    if (number == kText) units = units_in_text(content);
  });
  if (units.vertical.empty() && units.horizontal != "degrees") units.vertical = units.horizontal;
  return {units.horizontal, units.horizontal, units.vertical};
}

constexpr std::size_t kLasHeaderBytes = 227, kLongHeaderBytes = 375;  // to LAS 1.2; of LAS 1.4
/// Minimum bytes of a point, for the formats 0 to 10.
constexpr std::array<std::size_t, 11> kPointBytes{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

struct LasHeader {
  unsigned minor = 0, format = 0;
  bool packed = false;
  std::size_t header_bytes = 0, record_bytes = 0;
  std::uint64_t records = 0;  ///< variable length records after the header
  std::uint64_t first_point = 0, points = 0;
  std::array<double, 3> scale{}, shift{};
};

[[noreturn]] void refuse_las(const BufferedSource& source, const std::string& why) {
  throw Error(ErrorKind::input,
              fmt::format("{}: {}; the file is broken or not a LAS file", source.name(), why));
}

double number_at(std::string_view head, std::size_t offset, ScalarType type) {
  double value = 0;
  column_converter(type, false)(head.data() + offset, 0, 1, &value, 1);
  return value;
}

void check_header(const BufferedSource& source, const LasHeader& header) {
  if (header.packed && !SKDE_HAS_LASZIP)
    throw Error(
        ErrorKind::input, fmt::format("{}: is a LAZ file, which is not supported", source.name()),
        {{},
         "decompress it with 'laszip -i IN.laz -o OUT.las' or 'pdal translate IN.laz OUT.las'"});
  if (header.format >= kPointBytes.size())
    refuse_las(source, fmt::format("point format {} is not supported", header.format));
  if (header.record_bytes < kPointBytes[header.format])
    refuse_las(source, fmt::format("points of format {} need {} bytes or more, not {}",
                                   header.format, kPointBytes[header.format], header.record_bytes));
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!std::isfinite(header.scale[axis]) || header.scale[axis] == 0 ||
        !std::isfinite(header.shift[axis]))
      refuse_las(source, fmt::format("the scale {1} or the offset {2} of {0} is invalid",
                                     kAxisNames[axis], header.scale[axis], header.shift[axis]));
}

LasHeader read_las_header(BufferedSource& source) {
  const std::string_view head = source.peek(kLongHeaderBytes);
  if (head.size() < kLasHeaderBytes) refuse_las(source, "it ends inside its header");
  LasHeader header;
  header.minor = static_cast<unsigned>(little_endian(head, 25, 1));
  if (little_endian(head, 24, 1) != 1 || header.minor > 4)
    refuse_las(source, fmt::format("version {}.{} is not supported", little_endian(head, 24, 1),
                                   header.minor));
  header.header_bytes = static_cast<std::size_t>(little_endian(head, 94, 2));
  header.first_point = little_endian(head, 96, 4);
  header.records = little_endian(head, 100, 4);
  const auto format = static_cast<unsigned>(little_endian(head, 104, 1));
  header.format = format & 0x3f;
  header.packed = format >> 6 != 0;
  header.record_bytes = static_cast<std::size_t>(little_endian(head, 105, 2));
  header.points = little_endian(head, 107, 4);
  if (header.minor == 4) {
    if (head.size() < kLongHeaderBytes) refuse_las(source, "it ends inside its header");
    if (const std::uint64_t points = little_endian(head, 247, 8); points > 0)
      header.points = points;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    header.scale[axis] = number_at(head, 131 + 8 * axis, ScalarType::f64);
    header.shift[axis] = number_at(head, 155 + 8 * axis, ScalarType::f64);
  }
  if (header.first_point < kLasHeaderBytes)
    refuse_las(source, "its points begin inside its header");
  check_header(source, header);
  return header;
}

/// The dimensions of a point by their names in the specification, as laspy names them.
struct LasColumns {
  std::vector<std::string> names{"x", "y", "z", "intensity"};
  std::vector<RecordField> fields;
  std::vector<std::string> left_out{};

  void add(std::string name, std::size_t offset, ScalarType type, double scale = 1) {
    names.push_back(std::move(name));
    fields.push_back({offset, type, scale});
  }
  /// Adds flags one after the other, from bit `first` of a byte on.
  void add_bits(std::size_t byte, unsigned first,
                std::initializer_list<std::pair<const char*, unsigned>> flags) {
    for (const auto& [name, bits] : flags) {
      add(name, byte, ScalarType::u8);
      fields.back().first_bit = first;
      fields.back().bits = bits;
      first += bits;
    }
  }
  void add_colors(std::size_t offset) {
    add("red", offset, ScalarType::u16);
    add("green", offset + 2, ScalarType::u16);
    add("blue", offset + 4, ScalarType::u16);
  }
  void add_wave_packet(std::size_t offset) {
    add("wavepacket_index", offset, ScalarType::u8);
    add("wavepacket_offset", offset + 1, ScalarType::u64);
    add("wavepacket_size", offset + 9, ScalarType::u32);
    add("return_point_wave_location", offset + 13, ScalarType::f32);
    add("x_t", offset + 17, ScalarType::f32);
    add("y_t", offset + 21, ScalarType::f32);
    add("z_t", offset + 25, ScalarType::f32);
  }
};

/// For the formats 0 to 5.
void add_short_dimensions(unsigned format, LasColumns& columns) {
  columns.add_bits(14, 0,
                   {{"return_number", 3},
                    {"number_of_returns", 3},
                    {"scan_direction_flag", 1},
                    {"edge_of_flight_line", 1}});
  columns.add_bits(15, 0,
                   {{"classification", 5}, {"synthetic", 1}, {"key_point", 1}, {"withheld", 1}});
  columns.add("scan_angle_rank", 16, ScalarType::i8);
  columns.add("user_data", 17, ScalarType::u8);
  columns.add("point_source_id", 18, ScalarType::u16);
  std::size_t end = 20;
  if (format == 1 || format >= 3) {
    columns.add("gps_time", end, ScalarType::f64);
    end += 8;
  }
  if (format == 2 || format == 3 || format == 5) {
    columns.add_colors(end);
    end += 6;
  }
  if (format >= 4) columns.add_wave_packet(end);
}

/// For the formats 6 to 10.
void add_long_dimensions(unsigned format, LasColumns& columns) {
  constexpr double kDegrees = 0.006;  // unit of the scan angle
  columns.add_bits(14, 0, {{"return_number", 4}, {"number_of_returns", 4}});
  columns.add_bits(15, 0,
                   {{"synthetic", 1},
                    {"key_point", 1},
                    {"withheld", 1},
                    {"overlap", 1},
                    {"scanner_channel", 2},
                    {"scan_direction_flag", 1},
                    {"edge_of_flight_line", 1}});
  columns.add("classification", 16, ScalarType::u8);
  columns.add("user_data", 17, ScalarType::u8);
  columns.add("scan_angle", 18, ScalarType::i16, kDegrees);
  columns.add("point_source_id", 20, ScalarType::u16);
  columns.add("gps_time", 22, ScalarType::f64);
  std::size_t end = 30;
  if (format == 7 || format == 8 || format == 10) {
    columns.add_colors(end);
    end += 6;
  }
  if (format == 8 || format == 10) {
    columns.add("nir", end, ScalarType::u16);
    end += 2;
  }
  if (format >= 9) columns.add_wave_packet(end);
}

/// Adds the dimensions that a file describes beyond those of its format (LAS 1.4 R15, table 24).
/// Returns where they end.
std::size_t add_extra(std::string_view described, std::size_t offset, std::size_t end,
                      LasColumns& columns) {
  constexpr std::array kTypes{ScalarType::u8,  ScalarType::i8,  ScalarType::u16, ScalarType::i16,
                              ScalarType::u32, ScalarType::i32, ScalarType::u64, ScalarType::i64,
                              ScalarType::f32, ScalarType::f64};
  constexpr std::size_t kBytes = 192, kHasNone = 1, kHasScale = 8, kHasShift = 16;
  for (; described.size() >= kBytes; described.remove_prefix(kBytes)) {
    const std::uint64_t code = little_endian(described, 2, 1),
                        options = little_endian(described, 3, 1);
    const bool is_typed = code > 0 && code <= 3 * kTypes.size();
    const ScalarType type = is_typed ? kTypes[(code - 1) % kTypes.size()] : ScalarType::u8;
    const std::size_t many = is_typed ? (code - 1) / kTypes.size() + 1 : options,
                      bytes = many * size_of(type);
    if (bytes > end - offset) break;
    const std::string_view name = described.substr(4, 32);
    std::string text(name.substr(0, name.find('\0')));
    if (text.empty()) text = fmt::format("extra bytes from {} on", offset);
    if (!is_typed || many != 1) {
      columns.left_out.push_back(std::move(text));
    } else {
      columns.add(std::move(text), offset, type);
      RecordField& field = columns.fields.back();
      const bool is_float = code > 8;
      const ScalarType wide = is_float        ? ScalarType::f64
                              : code % 2 == 0 ? ScalarType::i64
                                              : ScalarType::u64;
      if ((options & kHasNone) != 0) field.none = number_at(described, 40, wide);
      if ((options & kHasScale) != 0) field.scale = number_at(described, 112, ScalarType::f64);
      if ((options & kHasShift) != 0) field.shift = number_at(described, 136, ScalarType::f64);
    }
    offset += bytes;
  }
  return offset;
}

LasColumns columns_of(const LasHeader& header, std::string_view records) {
  LasColumns columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.fields.push_back({4 * axis, ScalarType::i32, header.scale[axis], header.shift[axis]});
  columns.fields.push_back({12, ScalarType::u16});
  if (header.format < 6)
    add_short_dimensions(header.format, columns);
  else
    add_long_dimensions(header.format, columns);
  std::size_t end = kPointBytes[header.format];
  each_las_record(records, header.records, [&](auto owner, std::uint64_t number, auto content) {
    if (owner == "LASF_Spec" && number == 4)
      end = add_extra(content, end, header.record_bytes, columns);
  });
  if (header.record_bytes > end)
    columns.left_out.push_back(fmt::format("{} extra bytes", header.record_bytes - end));
  return columns;
}

/// The variable length records.
std::string_view records_of(BufferedSource& source, const LasHeader& header) {
  constexpr std::size_t kMost = std::size_t{1} << 20;  // pictures and waveforms may be there
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(header.first_point, kMost));
  const std::string_view head = source.peek(wanted).substr(0, wanted);
  return head.substr(std::min(header.header_bytes, head.size()));
}

}  // namespace

std::unique_ptr<PointReader> open_las(BufferedSource source, const ColumnSelection& wanted) {
  const LasHeader header = read_las_header(source);
  const std::string_view records = records_of(source, header);
  const LasColumns columns = columns_of(header, records);
  FileColumns described{source.name(), columns.names,
                        std::vector<bool>(columns.names.size(), true)};
  std::ranges::copy(las_units(records, header.records), std::back_inserter(described.units));
  described.left_out = columns.left_out;
  const SelectedColumns selected = select_columns(wanted, described);
  if (header.packed)
    source = BufferedSource(laz_points(std::move(source)));
  else if (source.skip(header.first_point) < header.first_point)
    refuse_las(source, "it ends before its points");
  RecordLayout layout;
  layout.stride = header.record_bytes;
  SelectedColumns read = selected;
  if (wanted.shaped()) read.widths.clear();  // no LAS file has bandwidths
  if (wanted.shaped() && read.category) read.widths.push_back(*read.category);
  set_fields(
      read, [&](std::size_t i) { return columns.fields[i]; }, layout);
  auto reader = read_records(std::move(source), layout, header.points, Surplus::ignore);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
