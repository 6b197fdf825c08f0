#include "io/points/splats/splat_format_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kRecordBytes = 32, kRecordsAtOnce = std::size_t{1} << 14;

/// A splat as it lies in the file.
struct Record {
  std::array<float, 3> place, scale;
  std::array<std::uint8_t, 4> colour;    ///< and opacity
  std::array<std::uint8_t, 4> rotation;  ///< w first
};
static_assert(sizeof(Record) == kRecordBytes);

void append(const Record& record, SplatCloud& splats) {
  for (const float coordinate : record.place) splats.xyz.push_back(static_cast<double>(coordinate));
  for (const float scale : record.scale)
    splats.log_scales.push_back(static_cast<float>(std::log(static_cast<double>(scale))));
  for (std::size_t colour = 0; colour < 3; ++colour)
    splats.colours.push_back(
        static_cast<float>((record.colour[colour] / 255.0 - 0.5) / kConstantHarmonic));
  splats.opacities.push_back(opacity_of_byte(record.colour[3]));
  std::array<double, 4> q{};
  for (std::size_t k = 0; k < 4; ++k) q[k] = (record.rotation[k] - 128) / 128.0;
  for (const double part : unit_quaternion(q)) splats.rotations.push_back(static_cast<float>(part));
}

/// Returns the number as a float. Throws Error(input) if it is beyond float or rounds to none.
float as_float(const std::string& path, std::size_t i, double number, bool positive,
               const char* what) {
  const auto rounded = static_cast<float>(
      std::abs(number) <= std::numeric_limits<float>::max() ? number : std::nan(""));
  if (std::isfinite(rounded) && (!positive || rounded > 0)) return rounded;
  throw Error(ErrorKind::input,
              fmt::format("{}: splat {}: {} {} is beyond the range of float, as which .splat "
                          "holds it",
                          path, i + 1, what, number),
              {"output", "use another unit of length, or write .ply"});
}

Record record_of(const std::string& path, const SplatCloud& splats, std::size_t i) {
  Record record{};
  for (std::size_t k = 0; k < 3; ++k) {
    record.place[k] = as_float(path, i, splats.xyz[3 * i + k], false, "the coordinate");
    const double scale = std::exp(static_cast<double>(splats.log_scales[3 * i + k]));
    record.scale[k] = as_float(path, i, scale, true, "the scale");
    record.colour[k] = nearest_byte(
        (static_cast<double>(splats.colours[3 * i + k]) * kConstantHarmonic + 0.5) * 255);
  }
  record.colour[3] = opacity_byte(splats.opacities[i]);
  const float* const r = splats.rotations.data() + 4 * i;
  const std::array<double, 4> q = unit_quaternion({r[0], r[1], r[2], r[3]});
  for (std::size_t k = 0; k < 4; ++k) record.rotation[k] = nearest_byte(q[k] * 128 + 128);
  return record;
}

}  // namespace

SplatCloud read_splat_records(BufferedSource source, std::int64_t most_bytes) {
  SplatCloud splats;
  std::vector<Record> records(kRecordsAtOnce);
  std::size_t bytes = 0;
  do {
    bytes = source.read(reinterpret_cast<char*>(records.data()), kRecordsAtOnce * kRecordBytes);
    for (std::size_t i = 0; i < bytes / kRecordBytes; ++i) append(records[i], splats);
    if (bytes % kRecordBytes != 0)
      throw Error(ErrorKind::input,
                  fmt::format("{}: has {} bytes, no multiple of the {} of a splat; it is truncated "
                              "or not a .splat file",
                              source.name(), source.position(), kRecordBytes));
    if (bytes > 0)
      require_splat_bytes(source, source.size() ? *source.size() / kRecordBytes : splats.size(), 0,
                          0, most_bytes);
  } while (bytes > 0);
  if (splats.size() == 0)
    throw Error(ErrorKind::input, fmt::format("{}: holds no splats", source.name()));
  return splats;
}

void write_splat_records(const std::string& path, const SplatCloud& splats, Progress& progress) {
  OutputFile file(path);
  write_records(file, splats.size(), "splats", progress, [&](std::string& to, std::size_t i) {
    append_bytes(to, record_of(path, splats, i));
  });
  file.commit();
}

}  // namespace skde::io
