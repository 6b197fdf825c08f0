#include "pictures/layered_document.hpp"

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

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
