#include "io/points/point_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "io/bytes/output_file.hpp"
#include "io/points/readers/text_preamble.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_fields.hpp"
#include "io/text/text_file.hpp"
#include "io/values/npy_header.hpp"

namespace skde::io {
/// A row of the table of writable formats; the separator is 0 for binary rows.
struct WriterFormat {
  std::string_view extension;
  std::string (*head)(std::uint64_t rows, const std::vector<std::string>& columns);
  char separator;
  /// A line that states a fact begins with this, after the first `facts_after` bytes of the head;
  /// without it, facts go to a file beside.
  std::string_view fact_mark;
  std::size_t facts_after = 0;
};

namespace {

using Names = std::vector<std::string>;

/// A name that is valid in a PLY header, and that no other column has.
std::string property_name(const Names& columns, std::size_t column) {
  const auto plain = [](std::string name) {
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name.empty() ? "column" : name;
  };
  std::string name = plain(columns[column]);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (i != column && plain(columns[i]) == name) return fmt::format("{}_{}", name, column + 1);
  return name;
}

constexpr std::string_view kPlyStart = "ply\nformat binary_little_endian 1.0\n";

std::string ply_head(std::uint64_t rows, const Names& columns) {
  std::string head = fmt::format("{}element vertex {}\n", kPlyStart, rows);
  for (std::size_t i = 0; i < columns.size(); ++i)
    head += fmt::format("property double {}\n", property_name(columns, i));
  return head + "end_header\n";
}

std::string npy_head(std::uint64_t rows, const Names& columns) {
  return npy_header(Precision::f64, {static_cast<std::int64_t>(rows), std::ssize(columns)});
}

/// Quotes a text if necessary; a comment would begin with #, % or //.
std::string point_field(const std::string& text) {
  return csv_field(text, text.find_first_of("#%/") == 0 ? "#%/" : ",;\t\"\r\n");
}

std::string csv_head(std::uint64_t /*rows*/, const Names& columns) {
  std::string head;
  for (const std::string& name : columns) {
    if (!head.empty()) head += ',';
    head += point_field(name);
  }
  return head + '\n';
}
std::string no_head(std::uint64_t /*rows*/, const Names& /*columns*/) { return {}; }

constexpr std::array<WriterFormat, 4> kWriterFormats{
    {{".ply", ply_head, '\0', "comment ", kPlyStart.size()},
     {".npy", npy_head, '\0', ""},
     {".csv", csv_head, ',', "# "},
     {".xyz", no_head, ' ', "# "}}};

const WriterFormat& format_for(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const WriterFormat& format : kWriterFormats)
    if (format.extension == extension) return format;
  throw Error(ErrorKind::usage,
              fmt::format("{}: points can be written as {}", path, point_writer_extensions()),
              {{}, "use one of these extensions"});
}

/// The text on one line.
std::string on_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string head_with_facts(const WriterFormat& format, std::string head, const PointFacts& facts) {
  std::string lines;
  for (const auto& [key, value] : facts)
    lines += fmt::format("{}{} {}\n", format.fact_mark, key, on_line(value));
  return head.insert(format.facts_after, lines);
}

std::string json_of_facts(const PointFacts& facts) {
  nlohmann::ordered_json json;
  for (const auto& [key, value] : facts) {
    double number = 0;
    if (parse_number(value, number) && std::abs(number) < 0x1p53 && number == std::trunc(number))
      json[key] = static_cast<std::int64_t>(number);
    else if (parse_number(value, number) && std::isfinite(number))
      json[key] = number;
    else
      json[key] = value;
  }
  return json_text(json) + "\n";
}

}  // namespace

struct PointWriter::State {
  const WriterFormat& format;
  OutputFile file;
  std::unique_ptr<OutputFile> beside{};
  std::uint64_t announced;
  std::size_t columns;
  std::uint64_t written = 0;
};

PointWriter::PointWriter(const std::string& path, std::uint64_t samples,
                         const std::vector<std::string>& columns, const PointFacts& facts)
    : state_(new State{format_for(path), OutputFile(path), {}, samples, columns.size()}) {
  // In a text each value takes at least a digit and a separator.
  const double value = state_->format.separator == '\0' ? sizeof(double) : 2;
  const double bytes = value * static_cast<double>(samples) * static_cast<double>(columns.size());
  constexpr double kMost = 0x1p63;
  require_room(path, static_cast<std::uint64_t>(std::min(bytes, kMost)),
               {{}, "write fewer points, or use another disk"});
  const bool in_head = !state_->format.fact_mark.empty();
  const std::string head = state_->format.head(samples, columns);
  state_->file.write(in_head ? head_with_facts(state_->format, head, facts) : head);
  if (in_head || facts.empty()) return;
  state_->beside = std::make_unique<OutputFile>(path + std::string(kNpyCompanion));
  state_->beside->write(json_of_facts(facts));
}

PointWriter::~PointWriter() = default;

void PointWriter::write(std::span<const double> rows) {
  const char separator = state_->format.separator;
  const std::size_t columns = state_->columns;
  if (separator == '\0') {
    state_->file.write(rows.data(), rows.size_bytes());
  } else {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("{}", rows[i]);
      text += (i + 1) % columns == 0 ? '\n' : separator;
    }
    state_->file.write(text);
  }
  state_->written += rows.size() / columns;
}

void PointWriter::write_row(const PointTable& table, std::size_t row,
                            std::span<const double> more) {
  const CarriedRows& carried = table.carried;
  const char separator = state_->format.separator;
  const auto own = std::span(table.values).subspan(row * table.names.size(), table.names.size());
  if (separator == '\0' || (carried.lines.empty() && carried.rests.empty())) {
    std::vector<double> values(own.begin(), own.end());
    values.insert(values.end(), more.begin(), more.end());
    return write(values);
  }
  std::string text;
  if (carried.lines.empty())
    for (std::size_t column = 0; column < own.size(); ++column)
      text += exact_text(own[column], carried.rest_of(row, column)) + separator;
  else
    for (const TextField& field : all_fields(carried.lines[row], carried.delimiter))
      text += (field.quoted ? fmt::format("\"{}\"", field.text)
                            : point_field(std::string(field.text))) +
              separator;
  for (const double value : more) text += fmt::format("{}{}", value, separator);
  text.back() = '\n';
  state_->file.write(text);
  ++state_->written;
}

void PointWriter::finish() {
  if (state_->written != state_->announced)
    throw std::logic_error("the number of written samples differs from the announced number");
  if (!state_->beside) return state_->file.commit();
  commit_both(*state_->beside, state_->file);
}

std::vector<std::string> point_files_with_facts(const std::string& path) {
  if (!format_for(path).fact_mark.empty()) return {path};
  return {path, path + std::string(kNpyCompanion)};
}

void require_point_extension(const std::string& path) { static_cast<void>(format_for(path)); }

bool keeps_lines(const std::string& path) { return format_for(path).separator == ','; }

bool is_text_file(const std::string& path) { return format_for(path).separator != '\0'; }

std::vector<std::string> written_names(const PointTable& table, std::vector<std::string> names) {
  if (table.carried.lines.empty()) return names;
  std::vector<std::string> all = table.carried.names;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].empty()) all[i] = fmt::format("column {}", i + 1);
  for (std::size_t i = 0; i < names.size(); ++i) all[table.numbers[i] - 1] = std::move(names[i]);
  return all;
}

std::vector<Warning> carried_warnings(const std::string& path, const PointTable& table,
                                      bool refuses) {
  const CarriedRows& carried = table.carried;
  std::set<std::string> rounded, unnamed;
  for (const CarriedRows::Rest& one : carried.rests) rounded.insert(table.names[one.column]);
  for (std::size_t i = 0; i < carried.names.size() && !carried.lines.empty(); ++i)
    if (carried.names[i].empty() && std::ranges::count(table.numbers, i + 1) == 0)
      unnamed.insert(fmt::format("column {}", i + 1));
  std::vector<Warning> warnings;
  if (!rounded.empty() && !is_text_file(path))
    warnings.push_back({"types",
                        fmt::format("{}: holds doubles, which round integers above 2^53 in: {}",
                                    path, fmt::join(rounded, ", ")),
                        {"output", "write a .csv file, which keeps all digits"}});
  if (refuses && !warnings.empty())
    throw Error(ErrorKind::usage, warnings[0].problem, warnings[0].advice);
  if (!unnamed.empty())
    warnings.push_back(
        {"columns",
         fmt::format("{}: columns of texts without a name are not left out, but named: {}", path,
                     fmt::join(unnamed, ", ")),
         {{}, "name them to choose their names"}});
  return warnings;
}

std::string point_writer_extensions() { return extensions_of(kWriterFormats); }

}  // namespace skde::io
