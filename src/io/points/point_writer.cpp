#include "io/points/point_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/npy_header.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
/// A row of the table of writable formats; the separator is 0 for binary rows.
struct WriterFormat {
  std::string_view extension;
  std::string (*head)(std::uint64_t rows, const std::vector<std::string>& columns);
  char separator;
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

std::string ply_head(std::uint64_t rows, const Names& columns) {
  std::string head = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", rows);
  for (std::size_t i = 0; i < columns.size(); ++i)
    head += fmt::format("property double {}\n", property_name(columns, i));
  return head + "end_header\n";
}

std::string npy_head(std::uint64_t rows, const Names& columns) {
  return npy_header(Precision::f64, {static_cast<std::int64_t>(rows), std::ssize(columns)});
}

/// Quotes a text if necessary.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_head(std::uint64_t /*rows*/, const Names& columns) {
  std::string head;
  for (const std::string& name : columns) {
    if (!head.empty()) head += ',';
    head += csv_field(name);
  }
  return head + '\n';
}
std::string no_head(std::uint64_t /*rows*/, const Names& /*columns*/) { return {}; }

constexpr std::array<WriterFormat, 4> kWriterFormats{{{".ply", ply_head, '\0'},
                                                      {".npy", npy_head, '\0'},
                                                      {".csv", csv_head, ','},
                                                      {".xyz", no_head, ' '}}};

const WriterFormat& format_for(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const WriterFormat& format : kWriterFormats)
    if (format.extension == extension) return format;
  throw Error(ErrorKind::usage,
              fmt::format("{}: points can be written as {}", path, point_writer_extensions()),
              {{}, "use one of these extensions"});
}

}  // namespace

struct PointWriter::State {
  const WriterFormat& format;
  OutputFile file;
  std::uint64_t announced;
  std::size_t columns;
  std::uint64_t written = 0;
};

PointWriter::PointWriter(const std::string& path, std::uint64_t samples,
                         const std::vector<std::string>& columns)
    : state_(new State{format_for(path), OutputFile(path), samples, columns.size()}) {
  // In a text each value takes at least a digit and a separator.
  const double value = state_->format.separator == '\0' ? sizeof(double) : 2;
  const double bytes = value * static_cast<double>(samples) * static_cast<double>(columns.size());
  constexpr double kMost = 0x1p63;
  require_room(path, static_cast<std::uint64_t>(std::min(bytes, kMost)),
               {{}, "write fewer points, or use another disk"});
  state_->file.write(state_->format.head(samples, columns));
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

void PointWriter::finish() {
  if (state_->written != state_->announced)
    throw std::logic_error("the number of written samples differs from the announced number");
  state_->file.commit();
}

void require_point_extension(const std::string& path) { static_cast<void>(format_for(path)); }

std::string point_writer_extensions() {
  std::string list;
  for (const WriterFormat& format : kWriterFormats)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", format.extension);
  return list;
}

}  // namespace skde::io
