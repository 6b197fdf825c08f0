#include "pictures/grey_png.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/zlib_packing.hpp"

namespace skde {
namespace {

void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

/// A chunk: the length of its data, its type, the data, and the CRC of type and data.
void write_chunk(io::OutputFile& file, const std::string& type, const std::string& data) {
  const std::string body = type + data;
  std::string head, tail;
  append_number(head, static_cast<std::uint32_t>(data.size()));
  append_number(tail, static_cast<std::uint32_t>(
                          crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
  file.write(head + body + tail);
}

/// The rows, each after the byte of its filter: differences to the pixel on the left, which are
/// small where neighbours are alike.
std::string filtered_rows(std::span<const std::uint16_t> pixels, std::size_t width) {
  constexpr char kLeft = 1;
  std::string rows;
  rows.reserve(2 * pixels.size() + (width > 0 ? pixels.size() / width : 0));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool first = i % width == 0;
    if (first) rows += kLeft;
    const unsigned own = pixels[i], left = first ? 0 : pixels[i - 1];
    rows += static_cast<char>(((own >> 8) - (left >> 8)) & 0xff);
    rows += static_cast<char>((own - left) & 0xff);
  }
  return rows;
}

}  // namespace

void write_grey_png(const std::string& path, std::span<const std::uint16_t> pixels,
                    std::size_t width,
                    const std::vector<std::pair<std::string, std::string>>& texts) {
  constexpr std::size_t kChunk = std::size_t{1} << 30;
  io::OutputFile file(path);
  file.write("\x89PNG\r\n\x1a\n");
  std::string head;
  append_number(head, static_cast<std::uint32_t>(width));
  append_number(head, static_cast<std::uint32_t>(width == 0 ? 0 : pixels.size() / width));
  const char kGrey[] = {16, 0, 0, 0, 0};  // bits, grey, deflate, filters by row, not interlaced
  write_chunk(file, "IHDR", head.append(kGrey, sizeof kGrey));
  for (const auto& [keyword, text] : texts)
    write_chunk(file, "tEXt", keyword + std::string(1, '\0') + text);
  constexpr int kUsualLevel = 6;
  std::vector<unsigned char> packed;
  if (!io::pack_zlib(filtered_rows(pixels, width), kUsualLevel, packed))
    throw Error(ErrorKind::resources, fmt::format("{}: does not fit into memory", path),
                {"columns", "write fewer rows"});
  for (std::size_t at = 0; at < packed.size(); at += kChunk)
    write_chunk(
        file, "IDAT",
        {reinterpret_cast<const char*>(packed.data()) + at, std::min(kChunk, packed.size() - at)});
  write_chunk(file, "IEND", "");
  file.commit();
}

}  // namespace skde
