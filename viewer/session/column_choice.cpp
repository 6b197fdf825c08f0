#include "viewer/session/column_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/points/point_table.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {
namespace {

constexpr std::size_t kRowsShown = 8;

/// Returns the columns of numbers, in the order of the file and of the table.
std::vector<io::ReadColumn> columns_of(const io::PointTable& table) {
  std::vector<io::ReadColumn> columns(table.columns.xyz.begin(), table.columns.xyz.end());
  columns.insert(columns.end(), table.columns.widths.begin(), table.columns.widths.end());
  std::ranges::sort(columns, {}, &io::ReadColumn::number);
  return columns;
}

/// Returns what names a column in a selection: its name if no other has it.
std::string word_for(const std::vector<io::ReadColumn>& columns, const io::ReadColumn& column) {
  const bool plain = !column.name.empty() && column.name.find(',') == column.name.npos &&
                     std::ranges::count(columns, column.name, &io::ReadColumn::name) == 1;
  return plain ? column.name : fmt::format("{}", column.number);
}

std::optional<std::size_t> place_of(const std::vector<std::string>& words,
                                    const std::string& wanted) {
  const auto found = std::ranges::find(words, wanted);
  if (wanted.empty() || found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

/// Takes the columns that a selection names, or else those with usual names.
void begin_with(const io::ColumnSelection& columns, const std::vector<io::ReadColumn>& read,
                ColumnChoice& choice) {
  std::vector<std::string> names;
  for (const io::ReadColumn& column : read) names.push_back(column.name);
  io::NamedCoordinates usual = io::coordinates_among(names);
  if (!usual.xyz) usual = io::degrees_among(names, false);
  if (usual.xyz) choice.xyz = *usual.xyz;
  for (std::size_t axis = 0; axis < 3 && columns.coordinates.size() == 3; ++axis)
    if (const auto found = place_of(choice.words, columns.coordinates[axis]))
      choice.xyz[axis] = *found;
  choice.weight = place_of(choice.words, columns.weight);
  if (columns.widths.size() == 1) choice.width = place_of(choice.words, columns.widths[0]);
}

}  // namespace

bool ColumnChoice::is_complete() const {
  return xyz[0] != xyz[1] && xyz[1] != xyz[2] && xyz[0] != xyz[2];
}

void ColumnChoice::apply(io::ColumnSelection& columns) const {
  columns.coordinates = {words.at(xyz[0]), words.at(xyz[1]), words.at(xyz[2])};
  columns.weight = weight ? words.at(*weight) : "";
  columns.widths.clear();
  if (width) columns.widths.push_back(words.at(*width));
  columns.widths_assumed = false;
}

std::optional<ColumnChoice> column_choice(const std::vector<std::string>& paths,
                                          const io::ColumnSelection& columns,
                                          const io::OpenFiles& files) {
  if (paths.empty() || io::is_read_once(paths[0])) return std::nullopt;
  if (!io::first_volume(paths, files).empty()) return std::nullopt;
  io::ColumnSelection look;
  look.coordinates.assign(3, std::string(io::kAnyColumn));
  look.skip = columns.skip;
  look.part = columns.part;
  NoProgress silent;
  io::PointTable table;
  try {
    table = io::read_point_table(paths[0], look, silent, files, {.rows = kRowsShown});
  } catch (const Error&) {
    return std::nullopt;  // the error that asked for the choice says what is wrong
  }
  const std::vector<io::ReadColumn> read = columns_of(table);
  if (table.rows() == 0 || read.size() != table.names.size()) return std::nullopt;
  ColumnChoice choice;
  choice.file = paths[0];
  choice.names = std::move(table.names);
  for (const io::ReadColumn& column : read) choice.words.push_back(word_for(read, column));
  for (std::size_t row = 0; row < table.values.size() / read.size(); ++row) {
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(row * read.size());
    choice.rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(read.size()));
  }
  begin_with(columns, read, choice);
  return choice;
}

}  // namespace skde::view
