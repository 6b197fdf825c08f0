// Compressed clouds; their bytes were written by gzip, bzip2, xz and zstd.
#include "io/bytes/packing.hpp"

#include <zlib.h>

#include "io/reader_support.hpp"

namespace skde::test {
namespace {

/// Converts pairs of hexadecimal digits to bytes.
std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

// "x,y,z,w\n1,2,3,4\n-1.5,2e3,nan,0\n"
const std::string kGzip = bytes_of(
    "1f8b0800000000000003abd0a9d4a9d229e732d431d231d631e1d235d433d5314a35d6c94bccd331e002006a75ad63"
    "1f000000");
const std::string kBzip2 = bytes_of(
    "425a6839314159265359ccb32b2b00000e5980001000077e00220100f0200022264191e88f50a1a698008ad540e043"
    "e21e5a9ac57d20e11d53e2ee48a70a121996656560");
const std::string kXz = bytes_of(
    "fd377a585a000004e6d6b4460200210116000000742fe5a301001e782c792c7a2c770a312c322c332c340a2d312e35"
    "2c3265332c6e616e2c300a0000f34c73b24881f5980001371fea18893d1fb6f37d010000000004595a");
const std::string kZstd = bytes_of(
    "28b52ffd0458f90000782c792c7a2c770a312c322c332c340a2d312e352c3265332c6e616e2c300aac299b87");

std::string gzipped(std::string_view bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

TEST_CASE("Packed clouds are known by their first bytes", "[packed]") {
  for (const std::string& packed : {kGzip, kBzip2, kXz, kZstd})
    for (const char* name : {"a.csv", "a.csv.gz", "standard input"}) {
      const ReadRows rows = read_bytes(name, packed, {{"1", "2", "4"}, ""});
      CHECK(rows.xyz == std::vector<double>{1, 2, 4, -1.5, 2000, 0});
      CHECK(read_pipe(name, packed, {{"1", "2", "4"}, ""}).xyz == rows.xyz);
    }
}

TEST_CASE("Packed binary clouds of many blocks are read", "[packed]") {
  std::string ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 100000\nproperty double x\n"
      "property double y\nproperty double z\nend_header\n";
  std::vector<double> xyz;
  for (int i = 0; i < 100000; ++i) xyz.insert(xyz.end(), {double(i), -i / 7., i * 1e-3});
  ply.append(reinterpret_cast<const char*>(xyz.data()), xyz.size() * sizeof(double));
  check_rows("a.ply.gz", gzipped(ply), xyz);
}

TEST_CASE("Joined and padded packed files are one", "[packed]") {
  check_rows("a.txt.gz", gzipped("1 2 3\n") + gzipped("4 5 6\n") + std::string(7, '\0'),
             {1, 2, 3, 4, 5, 6});
}

TEST_CASE("Broken packed files are refused", "[packed]") {
  for (const std::string& packed : {kGzip, kBzip2, kXz, kZstd}) {
    INFO(static_cast<int>(packed[0]));
    check_refused("a.csv.gz", packed.substr(0, packed.size() - 3),
                  {"a.csv.gz: byte", "decompression failed: the compressed data end early"});
    std::string broken = packed;
    for (std::size_t i = 12; i < 30; ++i) broken[i] = static_cast<char>(~broken[i]);
    check_refused("a.csv.gz", broken, {"decompression failed"});
  }
  check_refused("a.csv.gz", kGzip + "1 2 3\n", {"other bytes follow the compressed data"});
  check_refused("a.csv", "BZh", {"no row of numbers"});  // text that begins like bzip2
  check_refused("a.csv.gz", gzipped(""), {"a.csv.gz: is empty"});
}

TEST_CASE("The extension of a packer is none of a format", "[packed]") {
  CHECK(io::without_packer_extension("a.ply.GZ") == "a.ply");
  CHECK(io::without_packer_extension("a.ply.zst") == "a.ply");
  CHECK(io::without_packer_extension("a.gz.ply") == "a.gz.ply");
  check_refused("a.ply.gz", gzipped("1 2 3\n"), {"a.ply.gz: line 1", "PLY"});
  check_refused("a.e57.xz", "xyz", {"E57"});
}

}  // namespace skde::test
