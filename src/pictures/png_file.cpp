#include "pictures/png_file.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/packing.hpp"

namespace {

/// Compresses with zlib for stb, whose own deflate makes files a third larger.
unsigned char* deflate_for_stb(unsigned char* bytes, int count, int* written, int /*quality*/) {
  constexpr int kLevel = 4;  // files are 2 to 7 % larger than at level 6, in 0.6 of the time
  std::vector<unsigned char> packed;
  const std::string_view all(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  if (!skde::io::pack_zlib(all, kLevel, packed)) return nullptr;
  auto* const kept = static_cast<unsigned char*>(std::malloc(packed.size()));  // stb frees it
  if (kept == nullptr) return nullptr;
  std::ranges::copy(packed, kept);
  *written = static_cast<int>(packed.size());
  return kept;
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#ifndef __clang_analyzer__  // it would report how stb handles running out of memory
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_IMPLEMENTATION
#endif
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS deflate_for_stb
#include <stb_image_write.h>
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_FAILURE_STRINGS
#define STBI_MAX_DIMENSIONS skde::kMostPngSide
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace skde {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
// stb counts bytes in an int.
constexpr int kMostBytes = 1 << 30;
constexpr int kMostPixels = kMostBytes / 4;

Error unreadable(const std::string& name, std::string_view why) {
  return Error(ErrorKind::input, fmt::format("{}: cannot be read as PNG: {}", name, why));
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (const char c : bytes.substr(at, 4)) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

/// Checks what stb ignores: the checksums. A chunk is its length, its type, its data, and the CRC
/// of type and data.
void check_chunks(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kSignature))
    throw unreadable(name, "its first bytes are not a PNG signature");
  constexpr std::size_t kAround = 12;  // bytes of a chunk besides its data
  std::string_view type;
  for (std::size_t at = kSignature.size(); type != "IEND";) {
    const std::size_t left = bytes.size() - at;
    if (left < kAround || number_at(bytes, at) > left - kAround)
      throw unreadable(name, fmt::format("it is truncated at byte {}", bytes.size()));
    const std::string_view checked = bytes.substr(at + 4, 4 + number_at(bytes, at));
    const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size());
    type = checked.substr(0, 4);
    at += 4 + checked.size();
    if (sum != number_at(bytes, at))
      throw unreadable(name, fmt::format("it is damaged before byte {}", at));
    at += 4;
  }
}

void append_to_string(void* text, void* bytes, int count) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes),
                                          static_cast<std::size_t>(count));
}

std::string bytes_of(const std::string& path) {
  const auto source = io::open_source(path);
  std::string bytes;
  std::size_t count = 0;
  do {
    constexpr std::size_t kAtOnce = 1 << 20;
    const std::size_t before = bytes.size();
    bytes.resize(before + kAtOnce);
    count = source->read(bytes.data() + before, kAtOnce);
    bytes.resize(before + count);
    if (bytes.size() > kMostBytes) throw unreadable(path, "it is too large");
  } while (count > 0);
  return bytes;
}

}  // namespace

std::string encode_png(const Picture& picture) {
  const int width = picture.width, height = picture.height;
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::resources,
                fmt::format("a picture of {} x {} pixels {}", width, height, why),
                {"size", "use a smaller `size`"});
  };
  if (std::max(width, height) > kMostPngSide || height > kMostPixels / std::max(1, width))
    refuse("is too large for a PNG file");
  const bool opaque =
      std::ranges::all_of(picture.pixels, [](const auto& pixel) { return pixel[3] == 255; });
  const int channels = opaque ? 3 : 4;
  std::vector<std::uint8_t> values;
  values.reserve(static_cast<std::size_t>(channels) * picture.pixels.size());
  for (const auto& pixel : picture.pixels)
    values.insert(values.end(), pixel.begin(), pixel.begin() + channels);
  std::string bytes;
  if (stbi_write_png_to_func(append_to_string, &bytes, width, height, channels, values.data(), 0) ==
      0)
    refuse("does not fit into memory");
  return bytes;
}

Picture decode_png(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMostBytes) throw unreadable(name, "it is too large");
  check_chunks(bytes, name);
  const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const auto count = static_cast<int>(bytes.size());
  Picture picture;
  int& width = picture.width;
  int& height = picture.height;
  int channels = 0;
  if (stbi_info_from_memory(data, count, &width, &height, &channels) == 0)
    throw unreadable(
        name, fmt::format("its header is wrong, or a side is longer than {} pixels", kMostPngSide));
  const int pixel_bytes = stbi_is_16_bit_from_memory(data, count) != 0 ? 2 * channels : channels;
  if (height > kMostBytes / width / pixel_bytes)
    throw unreadable(name, fmt::format("its size of {} x {} pixels is too large", width, height));
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> values(
      stbi_load_from_memory(data, count, &width, &height, &channels, 4), &stbi_image_free);
  if (!values) throw unreadable(name, "its pixels cannot be decoded");
  picture.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::memcpy(picture.pixels.data(), values.get(), 4 * picture.pixels.size());
  return picture;
}

void write_png(const Picture& picture, const std::string& path) {
  io::OutputFile file(path);
  file.write(encode_png(picture));
  file.commit();
}

Picture read_png(const std::string& path) { return decode_png(bytes_of(path), path); }

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
