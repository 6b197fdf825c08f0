#include "io/points/point_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "core/error.hpp"
#include "io/npy_header.hpp"
#include "io/output_file.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

std::string ply_head(std::uint64_t samples) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\n"
      "property double y\nproperty double z\nend_header\n",
      samples);
}

std::string npy_head(std::uint64_t samples) {
  return npy_header(Precision::f64, {static_cast<std::int64_t>(samples), 3});
}
std::string csv_head(std::uint64_t) { return "x,y,z\n"; }
std::string no_head(std::uint64_t) { return {}; }

/// A row of the table of formats that can be written; the separator is 0 for binary rows.
struct Format {
  std::string_view extension;
  std::string (*head)(std::uint64_t samples);
  char separator;
};
constexpr std::array<Format, 4> kFormats{{{".ply", ply_head, '\0'},
                                          {".npy", npy_head, '\0'},
                                          {".csv", csv_head, ','},
                                          {".xyz", no_head, ' '}}};

const Format& format_for(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  for (const Format& format : kFormats)
    if (format.extension == extension) return format;
  throw Error(ErrorKind::usage,
              fmt::format("{}: points are written as {}", path, point_writer_extensions()),
              {{}, "end the name in one of these"});
}

}  // namespace

struct PointWriter::State {
  const Format& format;
  OutputFile file;
  std::uint64_t announced;
  std::uint64_t written = 0;
};

PointWriter::PointWriter(const std::string& path, std::uint64_t samples)
    : state_(new State{format_for(path), OutputFile(path), samples}) {
  state_->file.write(state_->format.head(samples));
}

PointWriter::~PointWriter() = default;

void PointWriter::write(const SamplesView& points) {
  const char separator = state_->format.separator;
  if (separator == '\0') {
    state_->file.write(points.xyz.data(), points.xyz.size_bytes());
  } else {
    std::string rows;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 p = points.point(i);
      fmt::format_to(std::back_inserter(rows), "{}{}{}{}{}\n", p.x, separator, p.y, separator, p.z);
    }
    state_->file.write(rows);
  }
  state_->written += points.size();
}

void PointWriter::finish() {
  if (state_->written != state_->announced)
    throw std::logic_error("the number of written samples is not the one announced");
  state_->file.commit();
}

std::string point_writer_extensions() {
  std::string list;
  for (const Format& format : kFormats)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", format.extension);
  return list;
}

}  // namespace skde::io
