#include "io/points/clouds/vtk_arrays.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

constexpr std::uint64_t kMostDeflateGain = 1100;  // deflate yields at most 1032 bytes per byte

[[noreturn]] void refuse_array(const VtkEncoding& encoding, std::string_view why) {
  throw Error(ErrorKind::input,
              fmt::format("{}: an array {}; the file is broken", encoding.file, why),
              {{}, "write it again"});
}

/// Takes the sizes from the front of an array's bytes.
class SizeReader {
 public:
  SizeReader(const VtkEncoding& encoding, std::string_view& bytes)
      : encoding_(encoding), bytes_(bytes) {}

  std::uint64_t next() const {
    const std::size_t count = encoding_.long_sizes ? 8 : 4;
    if (bytes_.size() < count) refuse_array(encoding_, "ends inside its sizes");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value =
          value << 8 | static_cast<unsigned char>(bytes_[encoding_.big_endian ? i : count - 1 - i]);
    bytes_.remove_prefix(count);
    return value;
  }

 private:
  const VtkEncoding& encoding_;
  std::string_view& bytes_;
};

void unpack_block(const VtkEncoding& encoding, std::string_view packed, std::uint64_t whole,
                  std::string& to) {
  if (whole > kMostDeflateGain * (packed.size() + 1))
    refuse_array(encoding, "declares more values than its compressed data hold");
  const std::size_t have = to.size();
  to.resize(have + static_cast<std::size_t>(whole));
  auto got = static_cast<uLongf>(whole);
  const int code =
      uncompress(reinterpret_cast<Bytef*>(to.data() + have), &got,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (code != Z_OK || got != whole) refuse_array(encoding, "cannot be decompressed");
}

std::string packed_array(const VtkEncoding& encoding, std::string_view bytes) {
  const SizeReader sizes(encoding, bytes);
  const std::uint64_t blocks = sizes.next(), block_bytes = sizes.next(), last_bytes = sizes.next();
  if (blocks > bytes.size()) refuse_array(encoding, "declares more blocks than it has bytes");
  std::vector<std::uint64_t> packed(static_cast<std::size_t>(blocks));
  for (std::uint64_t& size : packed) size = sizes.next();
  std::string result;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    if (packed[i] > bytes.size()) refuse_array(encoding, "is truncated");
    const bool last = i + 1 == packed.size();
    unpack_block(encoding, bytes.substr(0, static_cast<std::size_t>(packed[i])),
                 last && last_bytes > 0 ? last_bytes : block_bytes, result);
    bytes.remove_prefix(static_cast<std::size_t>(packed[i]));
  }
  return result;
}

/// The six bits of a base64 character; -1 for other characters.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

std::string vtk_array(const VtkEncoding& encoding, std::string_view bytes) {
  if (encoding.packed) return packed_array(encoding, bytes);
  const std::uint64_t count = SizeReader(encoding, bytes).next();
  if (count > bytes.size()) refuse_array(encoding, "is truncated");
  return std::string(bytes.substr(0, static_cast<std::size_t>(count)));
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int characters = 0;  // read so far of the four that encode three bytes
  const auto flush = [&] {
    for (int i = 0; i + 1 < characters; ++i)
      bytes += static_cast<char>(bits << (6 * (4 - characters)) >> (16 - 8 * i) & 0xff);
    bits = 0;
    characters = 0;
  };
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '=') {
      flush();
      continue;
    }
    const int value = base64_value(c);
    if (value < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++characters == 4) flush();
  }
  flush();
  return bytes;
}

}  // namespace skde::io
