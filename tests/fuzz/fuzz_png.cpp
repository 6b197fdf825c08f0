#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/report/error.hpp"
#include "pictures/png_file.hpp"

namespace {

/// Sets the checksum of each chunk, without which no decoder is reached.
std::string with_checksums(const std::uint8_t* input, std::size_t count) {
  std::string bytes(reinterpret_cast<const char*>(input), count);
  const auto* const at = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t begin = 8; begin + 12 <= bytes.size();) {
    const std::size_t length = std::size_t{at[begin]} << 24 | std::size_t{at[begin + 1]} << 16 |
                               std::size_t{at[begin + 2]} << 8 | at[begin + 3];
    if (length > bytes.size() - begin - 12) break;
    const std::size_t end = begin + 8 + length;
    const uLong sum = crc32_z(0, at + begin + 4, 4 + length);
    for (std::size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<char>(sum >> (24 - 8 * i));
    begin = end + 4;
  }
  return bytes;
}

}  // namespace

/// Aborts if a picture does not have its stated size, or changes when it is encoded and decoded
/// again. An Error(input) of one line is fine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  try {
    const skde::Picture picture = skde::decode_png(with_checksums(bytes, count), "a.png");
    const auto width = static_cast<std::size_t>(picture.width);
    if (picture.pixels.size() != width * static_cast<std::size_t>(picture.height)) std::abort();
    if (picture.pixels.empty()) std::abort();
    if (skde::decode_png(skde::encode_png(picture), "b.png") != picture) std::abort();
  } catch (const skde::Error& error) {
    if (error.kind() != skde::ErrorKind::input) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
