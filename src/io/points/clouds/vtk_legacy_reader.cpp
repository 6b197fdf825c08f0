#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/column_reader.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

constexpr int kMostLinesBeforePoints = 200;  // before the points: field data may be there

struct LegacyHeader {
  bool binary = false;
  ScalarType type = ScalarType::f32;
  std::uint64_t points = 0;
};

[[noreturn]] void refuse_legacy_vtk(const BufferedSource& source, std::string_view why,
                                    std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", source.name(), why),
              {{}, std::move(suggestion)});
}

std::optional<ScalarType> type_named(std::string_view name) {
  using Row = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<Row, 8> kTypes{{{"float", ScalarType::f32},
                                              {"double", ScalarType::f64},
                                              {"char", ScalarType::i8},
                                              {"unsigned_char", ScalarType::u8},
                                              {"short", ScalarType::i16},
                                              {"unsigned_short", ScalarType::u16},
                                              {"int", ScalarType::i32},
                                              {"unsigned_int", ScalarType::u32}}};
  const auto* const row = std::ranges::find(kTypes, name, &Row::first);
  return row == kTypes.end() ? std::nullopt : std::optional(row->second);
}

void check_dataset(const BufferedSource& source, std::string_view kind) {
  if (kind == "POLYDATA" || kind == "UNSTRUCTURED_GRID" || kind == "STRUCTURED_GRID") return;
  if (kind == "STRUCTURED_POINTS" || kind == "RECTILINEAR_GRID")
    refuse_legacy_vtk(source, "is a VTK volume, not a point cloud",
                      "name the points that it was made of; 'skde info' describes a volume");
  refuse_legacy_vtk(source, fmt::format("a VTK dataset {} is not a point cloud", excerpt(kind)));
}

/// Reads up to and including the line "POINTS 10 float".
LegacyHeader read_legacy_header(BufferedSource& source) {
  LegacyHeader header;
  source.line();  // skips "# vtk DataFile Version ..."
  source.line();  // skips the title
  const auto mode = source.line();
  header.binary = mode && trimmed(*mode) == "BINARY";
  if (!header.binary && (!mode || trimmed(*mode) != "ASCII"))
    refuse_legacy_vtk(source,
                      "line 3 must be ASCII or BINARY; the file is broken or not a VTK file");
  for (int number = 0; number < kMostLinesBeforePoints; ++number) {
    const auto line = source.line();
    if (!line) break;
    const auto words = split_words(*line);
    if (words.size() == 2 && words[0] == "DATASET") check_dataset(source, words[1]);
    if (words.size() != 3 || words[0] != "POINTS") continue;
    const auto type = type_named(words[2]);
    if (!type)
      refuse_legacy_vtk(source,
                        fmt::format("has points of the unsupported type {}", excerpt(words[2])));
    header.type = *type;
    const char* const end = words[1].data() + words[1].size();
    const auto [stop, error] = std::from_chars(words[1].data(), end, header.points);
    if (error != std::errc{} || stop != end)
      refuse_legacy_vtk(
          source, fmt::format("the count {} of points must be an integer", excerpt(words[1])));
    return header;
  }
  refuse_legacy_vtk(source, "has no points; the file is broken or empty");
}

/// Reads numbers from text, with any number of them per line.
std::string read_numbers(BufferedSource& source, std::uint64_t points) {
  std::string xyz;
  std::uint64_t left = 0;
  if (__builtin_mul_overflow(points, std::uint64_t{3}, &left))
    refuse_legacy_vtk(source, "declares more points than it can hold");
  while (left > 0) {
    const auto line = source.line();
    if (!line) refuse_legacy_vtk(source, fmt::format("ends before its {} points", points));
    for (const std::string_view word : split_words(*line)) {
      double value = 0;
      if (left == 0 || !parse_number(word, value))
        refuse_legacy_vtk(
            source, fmt::format("{} among its points is not a number of its type", excerpt(word)));
      xyz.append(reinterpret_cast<const char*>(&value), sizeof(value));
      --left;
    }
  }
  return xyz;
}

/// Says that a file holds more than points, of which nothing is read.
std::unique_ptr<PointReader> with_rest(std::unique_ptr<PointReader> reader, bool has_rest) {
  ReadColumns read = reader->columns();
  if (has_rest) read.left_out.emplace_back("all that follows the points");
  reader->set_columns(std::move(read));
  return reader;
}

/// Skips blanks; returns false at the end of the file.
bool has_more_text(BufferedSource& source) {
  while (!source.peek(1).empty() && trimmed(source.peek(1)).empty()) source.skip(1);
  return !source.peek(1).empty();
}

}  // namespace

std::unique_ptr<PointReader> open_vtk(BufferedSource source, const ColumnSelection& wanted) {
  const LegacyHeader header = read_legacy_header(source);
  if (!header.binary) {
    std::string xyz = read_numbers(source, header.points);
    const bool has_rest = has_more_text(source);
    return with_rest(read_kept_points(source.name(), std::move(xyz), wanted), has_rest);
  }
  const SelectedColumns selected =
      select_columns(wanted, {source.name(), {"x", "y", "z"}, std::vector<bool>(3, true)});
  RecordLayout layout;
  layout.stride = 3 * size_of(header.type);
  layout.big_endian = true;
  set_fields(selected, header.type, layout);
  const std::optional<std::uint64_t> size = source.size();
  const std::uint64_t first = source.position();
  auto reader = read_records(std::move(source), layout, header.points, Surplus::ignore);
  reader->set_columns(selected.described);
  const std::uint64_t end = first + header.points * layout.stride + 1;  // and a line end
  return with_rest(std::move(reader), size && *size > end);
}

}  // namespace skde::io
