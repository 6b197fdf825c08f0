// SOG files that lie: about sizes, names, lengths and numbers. None is trusted with memory.

#include <filesystem>
#include <limits>

#include "io/points/formats/open_points.hpp"
#include "io/points/splats/webp_image.hpp"
#include "io_splats/sog_support.hpp"
#include "support/cases/random_splats.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

#if SKDE_HAS_WEBP

namespace skde::test {
namespace {

std::string sog_bytes(const io::SplatCloud& splats) {
  const TemporaryFolder folder;
  NoProgress unwatched;
  io::write_splats(folder.path("a.sog"), splats, unwatched);
  return content_of(folder.path("a.sog"));
}

Error refusal(std::string_view bytes) {
  const Error error = thrown_error([&] { read_splat_bytes("a.sog", bytes); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "a.sog"));
  return error;
}

/// Reads an archive in which this was changed in meta.json.
Error refusal_of_meta(const std::string& from, const std::string& to, int bands = 0) {
  auto members = members_of(sog_bytes(random_splats(20, bands, 1)));
  std::string& meta = bytes_in(members, "meta.json");
  const std::size_t at = meta.find(from);
  REQUIRE(at != meta.npos);
  meta.replace(at, from.size(), to);
  return refusal(archive_of(members));
}

void put_number(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

TEST_CASE("A SOG file that is cut short anywhere is refused", "[splats]") {
  const std::string bytes = sog_bytes(random_splats(40, 1, 2));
  for (std::size_t count = 5; count < bytes.size(); count += 1 + count / 50)
    refusal(std::string_view(bytes).substr(0, count));
}

TEST_CASE("Numbers in meta.json that cannot be are refused", "[splats]") {
  CHECK(says(refusal_of_meta("\"version\":2", "\"version\":3"), "version 3 is not supported"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":-1"), "integer from 0"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":20.5"), "integer from 0"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":1e300"), "integer from 0"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":\"20\""), "integer from 0"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":26"), "20 pixels for 26 splats"));
  CHECK(says(refusal_of_meta("\"count\":20", "\"count\":268000000"), "pixels for 268000000"));
  CHECK(says(refusal_of_meta("\"mins\":[", "\"mins\":[1,"), "means.mins"));
  CHECK(says(refusal_of_meta("\"mins\":[", "\"mins\":[1e300,1,2],\"m\":["), "3 finite numbers"));
  CHECK(says(refusal_of_meta("\"maxs\":[", "\"maxs\":[1e30,1,2],\"m\":["), "too large"));
  CHECK(says(refusal_of_meta("\"codebook\":[", "\"codebook\":[0,"), "256 finite numbers"));
  CHECK(says(refusal_of_meta("\"scales\"", "\"scale\""), "no scales"));
  CHECK(says(refusal_of_meta("\"bands\":1", "\"bands\":2", 1), "192 pixels wide"));
  CHECK(says(refusal_of_meta("\"bands\":1", "\"bands\":9", 1), "shN.bands"));
  CHECK(says(refusal_of_meta("{", "[{"), "a.sog"));
}

TEST_CASE("Names in a SOG file are looked up in the archive alone", "[splats]") {
  for (const char* const name : {"/etc/passwd", "../a.webp", "quats.webp\\u0000", "", "QUATS.WEBP"})
    CHECK(says(refusal_of_meta("quats.webp", name), "no member"));
  CHECK(says(refusal_of_meta("[\"quats.webp\"]", "[7]"), "lacks a name"));
  CHECK(says(refusal_of_meta("[\"quats.webp\"]", "[]"), "lacks a name"));
  // A name that looks like a path serves as any other.
  auto members = members_of(sog_bytes(random_splats(20, 0, 1)));
  for (io::NewZipMember& member : members)
    if (member.name == "quats.webp") member.name = "../../q";
  std::string& meta = bytes_in(members, "meta.json");
  meta.replace(meta.find("quats.webp"), 10, "../../q");
  CHECK(read_splat_bytes("a.sog", archive_of(members)).size() == 20);
}

/// Writes the members of an archive into a folder, and returns the path of its meta.json.
std::string unpacked_into(const TemporaryFolder& folder,
                          const std::vector<io::NewZipMember>& members) {
  for (const io::NewZipMember& member : members) folder.file(member.name, member.bytes);
  return folder.path("meta.json");
}

io::SplatCloud read_file(const std::string& path) {
  return io::read_splats(io::BufferedSource(io::open_source(path)));
}

TEST_CASE("SOG is read from a folder as from an archive", "[splats]") {
  for (const int bands : {0, 2}) {
    const std::string archive = sog_bytes(random_splats(1000, bands, 4));
    const TemporaryFolder folder;
    const std::string meta = unpacked_into(folder, members_of(archive));
    const io::SplatCloud apart = read_file(meta), together = read_splat_bytes("a.sog", archive);
    CHECK(apart.xyz == together.xyz);
    CHECK(apart.rotations == together.rotations);
    CHECK(apart.log_scales == together.log_scales);
    CHECK(apart.opacities == together.opacities);
    CHECK(apart.colours == together.colours);
    CHECK(apart.harmonics == together.harmonics);
    CHECK(io::open_points(meta, {})->expected_rows() == 1000u);
    CHECK(io::are_splats({meta}, {}, {}));
  }
}

TEST_CASE("Names in a meta.json are those of files beside it", "[splats]") {
  const auto members = members_of(sog_bytes(random_splats(20, 0, 1)));
  const TemporaryFolder outside;
  for (const io::NewZipMember& member : members) outside.file(member.name, member.bytes);
  const TemporaryFolder folder;
  const std::string path = unpacked_into(folder, members);
  std::filesystem::create_directory(folder.path("images.webp"));
  folder.file(".quats.webp", "");
  const std::string meta = content_of(path);
  const auto refused = [&](const std::string& name) {
    std::string changed = meta;
    changed.replace(changed.find("quats.webp"), 10, name);
    folder.file("meta.json", changed);
    const Error error = thrown_error([&] { read_file(path); });
    INFO(error.what());
    CHECK(error.kind() == ErrorKind::input);
    return says(error, "meta.json");
  };
  for (const std::string& name :
       {outside.path("quats.webp"), "../" + outside.path("quats.webp"), std::string("./quats.webp"),
        std::string("a/../quats.webp"), std::string(".quats.webp"), std::string(".."),
        std::string("C:quats.webp"), std::string("..\\\\quats.webp"), std::string(""),
        std::string("quats.webp\\u0000"), std::string("images.webp"), std::string("none.webp")})
    CHECK(refused(name));
  folder.file("meta.json", meta);
  CHECK(read_file(path).size() == 20);
  CHECK(says(thrown_error([&] { read_splat_bytes("standard input", meta); }), "beside it"));
  // A folder has the bytes of all its files, not those of meta.json alone.
  folder.file("quats.webp", std::string(100, 'R'));
  CHECK(says(thrown_error([&] { read_file(path); }), "not a WebP image"));
}

TEST_CASE("Images that declare more than a file can hold are refused", "[splats]") {
  auto members = members_of(sog_bytes(random_splats(20, 0, 1)));
  std::string& image = bytes_in(members, "means_u.webp");
  // VP8L: after 21 bytes, 14 bits of width - 1 and 14 of height - 1.
  REQUIRE(image.substr(12, 4) == "VP8L");
  put_number(image, 21, 16382 | std::uint64_t{16382} << 14 | std::uint64_t{1} << 28, 4);
  REQUIRE(io::webp_size(image) == std::array<std::size_t, 2>{16383, 16383});
  CHECK(says(refusal(archive_of(members)), "16383 x 16383 pixels, too many"));
  bytes_in(members, "means_u.webp") = "RIFF";
  CHECK(says(refusal(archive_of(members)), "not a WebP image"));
}

TEST_CASE("One colour of many pixels is refused beyond what the bytes of a file allow",
          "[splats]") {
  auto members = members_of(sog_bytes(random_splats(20, 0, 1)));
  io::RgbaImage image{4000, 4000, std::vector<std::uint8_t>(64000000, 7)};
  bytes_in(members, "means_u.webp") = io::lossless_webp(image);
  CHECK(bytes_in(members, "means_u.webp").size() < 5000);
  CHECK(says(refusal(archive_of(members)), "4000 x 4000 pixels, too many"));
}

TEST_CASE("Members that lie about their length are refused", "[splats]") {
  const std::string good = sog_bytes(random_splats(20, 0, 1));
  const std::size_t directory = good.find("PK\x01\x02");
  const auto changed = [&](std::size_t at, std::uint64_t value, std::size_t count) {
    std::string bytes = good;
    put_number(bytes, directory + at, value, count);
    return refusal(bytes);
  };
  CHECK(says(changed(24, 0xffffffff, 4), "4294967295 bytes, more than"));
  CHECK(says(changed(24, 100, 4), "not the length"));
  CHECK(says(changed(20, 0xffffff00, 4), "larger than the archive"));
  CHECK(says(changed(42, 0xffffff00, 4), "not where the directory says"));
  CHECK(says(changed(10, 9, 2), "packed by method 9"));
  CHECK(says(changed(8, 1, 2), "encrypted"));
  // Deflated, of nothing that could be unpacked to so much, and of bytes that are not deflated.
  std::string bomb = good;
  put_number(bomb, directory + 10, 8, 2);
  put_number(bomb, directory + 24, 16000000, 4);
  CHECK(says(refusal(bomb), "cannot have the length"));
  put_number(bomb, directory + 24, 10000, 4);
  refusal(bomb);
}

TEST_CASE("Labels beyond the palette, and quaternions without a tag, are what readers make of them",
          "[splats]") {
  auto members = members_of(sog_bytes(random_splats(20, 1, 1)));
  std::string& meta = bytes_in(members, "meta.json");
  meta.replace(meta.find("\"count\":20,\"bands\""), 11, "\"count\":10,");
  io::RgbaImage plain{5, 4, std::vector<std::uint8_t>(80, 9)};
  bytes_in(members, "quats.webp") = io::lossless_webp(plain);
  const io::SplatCloud splats = read_splat_bytes("a.sog", archive_of(members));
  CHECK(splats.rotations[4] == 1);
  CHECK(splats.rotations[5] == 0);
  for (std::size_t i = 90; i < 180; ++i) CHECK(splats.harmonics[i] == 0);
}

TEST_CASE("SOG of version 1 is read, and codebooks without their first entry", "[splats]") {
  io::RgbaImage image{2, 1, {0, 255, 51, 255, 255, 0, 102, 254}};
  const std::string webp = io::lossless_webp(image);
  const std::string meta =
      R"({"means":{"shape":[2,3],"mins":[0,-1,0],"maxs":[1,1,2],"files":["a","a"]},)"
      R"("scales":{"mins":[-5,-4,-3],"maxs":[0,1,2],"files":["a"]},"quats":{"files":["a"]},)"
      R"("sh0":{"mins":[-1,-1,-1,-10],"maxs":[1,1,1,10],"files":["a"]}})";
  const io::SplatCloud old =
      read_splat_bytes("a.sog", archive_of({{"a", webp}, {"meta.json", meta}}));
  REQUIRE(old.size() == 2);
  CHECK(old.xyz[0] == 0);
  CHECK(old.xyz[1] == Approx(std::exp(1) - 1));
  CHECK(old.xyz[4] == Approx(1 - std::exp(1)));
  CHECK(old.log_scales == std::vector<float>{-5, 1, -2, 0, -4, -1});
  CHECK(old.opacities[0] == 10);
  CHECK(old.opacities[1] == Approx(10 - 20.0 / 255));
  CHECK(old.colours[2] == Approx(-0.6));
  CHECK(old.rotations[3] == Approx(0).margin(1e-6));  // 255 names z, and the rest is too long
  auto members = members_of(sog_bytes(random_splats(20, 0, 1)));
  std::string& text = bytes_in(members, "meta.json");
  const std::size_t first = text.find("\"codebook\":[") + 12;
  text.replace(first, text.find(',', first) - first, "null");
  CHECK(read_splat_bytes("a.sog", archive_of(members)).size() == 20);
}

}  // namespace skde::test

#endif
