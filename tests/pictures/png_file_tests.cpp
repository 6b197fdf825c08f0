#include "pictures/png_file.hpp"

#include <algorithm>

#include "pictures/layered_document.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;
using namespace std::string_literals;

namespace {

constexpr std::size_t kColorType = 25;  // position of the colour type: 2 RGB, 6 RGBA

/// Random colours, with opacities that run through all values, or with every pixel opaque.
Picture noise(int width, int height, bool opaque) {
  Picture picture{width, height, {}};
  std::uint32_t state = 12345;
  for (int i = 0; i < width * height; ++i) {
    state = state * 1664525 + 1013904223;
    const auto byte = [&](int shift) { return static_cast<std::uint8_t>(state >> shift); };
    picture.pixels.push_back(
        {byte(24), byte(16), byte(8), static_cast<std::uint8_t>(opaque ? 255 : i)});
  }
  return picture;
}

/// The checksum of PNG, computed bit by bit.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(checksum(type + data));
}

/// A PNG file with these chunks between its header and its end.
std::string png(std::uint32_t width, std::uint32_t height, const std::string& kind,
                const std::string& chunks) {
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width) + big_endian(height) + kind) +
         chunks + chunk("IEND", "");
}

/// The bytes as a zlib stream of one block that is not compressed.
std::string stored(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<std::uint16_t>(bytes.size());
  const auto little = [](std::uint16_t n) {
    return std::string{static_cast<char>(n & 255), static_cast<char>(n >> 8)};
  };
  return "\x78\x01\x01" + little(size) + little(static_cast<std::uint16_t>(~size)) + bytes +
         big_endian(b << 16 | a);
}

const std::string kRgb8 = "\x08\x02\0\0\0"s, kPalette4 = "\x04\x03\0\0\0"s;
const std::string kGrey16 = "\x10\0\0\0\0"s, kInterlacedGrey8 = "\x08\0\0\0\x01"s;

void check_refused(const std::string& bytes) {
  const Error error = thrown_error([&] { decode_png(bytes, "a.png"); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(std::string_view(error.what()).starts_with("a.png: "));
}

}  // namespace

TEST_CASE("a picture is the same after its file, whatever its opacity") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.png");
  for (const bool opaque : {true, false})
    for (const auto& [width, height] :
         {std::pair{256, 256}, std::pair{1, 1}, std::pair{1000, 3}, std::pair{2, 700}}) {
      CAPTURE(width, height, opaque);
      const Picture picture = noise(width, height, opaque);
      write_png(picture, path);
      CHECK(read_png(path) == picture);
    }
  CHECK(folder.names() == std::vector<std::string>{"a.png"});
}

TEST_CASE("a picture without transparent pixels has no channel for them in its file") {
  CHECK(encode_png(noise(40, 30, true)).at(kColorType) == 2);
  CHECK(encode_png(noise(40, 30, false)).at(kColorType) == 6);
}

TEST_CASE("even areas make small files") {
  const Picture grey{1000, 1000, std::vector<std::array<std::uint8_t, 4>>(1000000, {9, 9, 9, 255})};
  CHECK(encode_png(grey).size() < 20000);
}

TEST_CASE("PNG files of other kinds are read") {
  using Pixels = std::vector<std::array<std::uint8_t, 4>>;
  const auto pixels = [](const std::string& bytes) { return decode_png(bytes, "a.png").pixels; };
  CHECK(pixels(png(2, 1, kRgb8, chunk("IDAT", stored("\0\1\2\3\4\5\6"s)))) ==
        Pixels{{1, 2, 3, 255}, {4, 5, 6, 255}});
  CHECK(pixels(png(2, 1, kPalette4,
                   chunk("PLTE", "\1\2\3\4\5\6") + chunk("tRNS", "\x80") +
                       chunk("IDAT", stored("\0\x01"s)))) ==
        Pixels{{1, 2, 3, 128}, {4, 5, 6, 255}});
  CHECK(pixels(png(1, 1, kGrey16, chunk("IDAT", stored("\0\x42\x99"s)))) ==
        Pixels{{0x42, 0x42, 0x42, 255}});
  CHECK(pixels(png(2, 2, kInterlacedGrey8, chunk("IDAT", stored("\0\1\0\2\0\3\4"s)))) ==
        Pixels{{1, 1, 1, 255}, {2, 2, 2, 255}, {3, 3, 3, 255}, {4, 4, 4, 255}});
}

TEST_CASE("a PNG file that is cut short anywhere is refused") {
  const std::string bytes = encode_png(noise(9, 7, false));
  for (std::size_t count = 0; count < bytes.size(); ++count) {
    CAPTURE(count);
    check_refused(bytes.substr(0, count));
  }
}

TEST_CASE("a PNG file with any one byte damaged is refused") {
  const std::string whole = encode_png(noise(9, 7, true));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    check_refused(bytes);
  }
}

TEST_CASE("PNG files that lie about themselves are refused") {
  const std::string little = chunk("IDAT", stored("\0\1\2\3"s));
  CHECK(decode_png(png(1, 1, kRgb8, little), "a.png").width == 1);
  check_refused(png(kMostPngSide + 1, 1, kRgb8, little));
  check_refused(png(1, kMostPngSide + 1, kRgb8, little));
  check_refused(png(0xffffffff, 0xffffffff, kRgb8, little));
  check_refused(png(kMostPngSide, kMostPngSide, kRgb8, little));
  check_refused(png(20000, 10000, kRgb8, little));
  check_refused(png(0, 1, kRgb8, little));
  check_refused(png(1, 1, kPalette4, little));
  check_refused(png(1, 1, "\x08\x07\0\0\0"s, little));
  check_refused(png(16384, 16384, "\x10\x06\0\0\0"s, little));
  check_refused(png(1, 1, kRgb8, chunk("IDAT", "not deflated")));
  check_refused(png(1, 1, kRgb8, chunk("IDAT", "\x78\x01\x07")));
  check_refused(png(1, 1, kRgb8, chunk("IDAT", stored("\x09\1\2\3"))));
  check_refused(png(1, 1, kRgb8, ""));
  check_refused(chunk("IEND", ""));
}

TEST_CASE("files that are no PNG are named") {
  const TemporaryFolder folder;
  const std::string path = folder.file("b.png", "text");
  CHECK(says(thrown_error([&] { read_png(path); }), path));
  for (const std::string& other : {folder.path("none.png"), folder.path("")}) {
    check_thrown(ErrorKind::input, {other}, [&] { read_png(other); });
  }
}

TEST_CASE("a picture that cannot be written leaves what was there") {
  const TemporaryFolder folder;
  const std::string path = folder.file("c.png", "old");
  const Error lost = thrown_error([&] { write_png(noise(1, 1, true), folder.path("no/c.png")); });
  CHECK(lost.kind() == ErrorKind::output);
  for (const auto& [width, height] :
       {std::pair{kMostPngSide + 1, 1}, std::pair{1, kMostPngSide + 1},
        std::pair{kMostPngSide, kMostPngSide}}) {
    const Picture large{width, height, {}};
    CHECK(thrown_error([&] { write_png(large, path); }).kind() == ErrorKind::resources);
  }
  CHECK(content_of(path) == "old");
  CHECK(folder.names() == std::vector<std::string>{"c.png"});
}

namespace {

/// A picture that does not compress to nothing.
Picture pattern(int width, int height) {
  Picture picture{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    const auto byte = [i](int factor) { return static_cast<std::uint8_t>(i * factor >> 3); };
    picture.pixels.push_back({byte(37), byte(91), byte(153), byte(7)});
  }
  return picture;
}

/// The pixels of an SVG document, as it holds them.
std::string pixels_of(const std::string& document) {
  const std::size_t begin = document.find("data:image/png;base64,");
  REQUIRE(begin != document.npos);
  return document.substr(begin, document.find('"', begin) - begin);
}

}  // namespace

TEST_CASE("a document holds its picture, with and without shapes over it", "[picture]") {
  LayeredDocument bare{pattern(321, 240), {}, {}}, lined = bare;
  lined.lines.push_back({{1, 2}, {30, 40}, 2, {10, 20, 30}});
  lined.texts.push_back({{5, 6}, 15, "text", {10, 20, 30}});
  const std::string pixels = pixels_of(encode_document(bare, false));
  CHECK(pixels.size() > 1000);
  CHECK(pixels_of(encode_document(lined, false)) == pixels);
  bare.picture.pixels[0] = {255, 0, 0, 255};
  CHECK(pixels_of(encode_document(bare, false)) != pixels);
  CHECK(encode_document(bare, true).starts_with("%PDF-"));
}

TEST_CASE("a document that cairo cannot make is an error", "[picture]") {
  const LayeredDocument wide{{40000, 1, std::vector<std::array<std::uint8_t, 4>>(40000)}, {}, {}};
  CHECK(thrown_error([&] { encode_document(wide, false); }).kind() == ErrorKind::resources);
}
