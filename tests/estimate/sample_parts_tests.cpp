#include "estimate/read/sample_parts.hpp"

#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr const char* kFourRows = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";

/// Reads all parts and returns the number of samples.
std::size_t pass(FileParts& parts) {
  parts.rewind();
  std::size_t samples = 0;
  while (const auto part = parts.next()) samples += part->points.size();
  return samples;
}

CloudFiles files_of(const std::string& path) {
  CloudFiles files;
  files.paths = {path};
  return files;
}

}  // namespace

TEST_CASE("Files may be read as often as wanted while they stay as they are", "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  FileParts parts(files_of(folder.file("a.xyz", kFourRows)), 3, nullptr, silent);
  CHECK(pass(parts) == 4);
  CHECK(pass(parts) == 4);
}

TEST_CASE("What was read ahead is the first pass", "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  FileParts parts(files_of(folder.file("a.xyz", kFourRows)), 3, nullptr, silent);
  CHECK(parts.are_for(3, nullptr));
  CHECK_FALSE(parts.are_for(4, nullptr));
  parts.read_ahead();
  SECTION("nobody asks for it") {}
  SECTION("it is asked for") {
    CHECK(pass(parts) == 4);
    CHECK(pass(parts) == 4);
  }
  SECTION("its first part is asked for") {
    CHECK(parts.first_mean_weight() == 1);
    CHECK(pass(parts) == 4);
  }
}

TEST_CASE("A file that cannot be read is told by the first part, if it was read ahead",
          "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  FileParts parts(files_of(folder.file("a.xyz", "0 0 0\n1 0 none\n")), 3, nullptr, silent);
  parts.read_ahead();
  parts.rewind();
  CHECK_THAT(thrown_error([&] { parts.next(); }).what(), ContainsSubstring("line 2"));
}

TEST_CASE("A file that changes between two passes is refused", "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  const std::string path = folder.file("a.xyz", kFourRows);
  FileParts parts(files_of(path), 3, nullptr, silent);
  CHECK(pass(parts) == 4);
  SECTION("longer") { folder.file("a.xyz", std::string(kFourRows) + "1 1 1\n"); }
  SECTION("as long") { folder.file("a.xyz", "0 0 0\n2 0 0\n0 1 0\n0 0 1\n"); }
  SECTION("another file of the same name") {
    std::filesystem::rename(folder.file("b.xyz", kFourRows), path);
  }
  SECTION("gone") { std::filesystem::remove(path); }
  const Error error = thrown_error([&] { pass(parts); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK_THAT(error.what(), ContainsSubstring("a.xyz: changed while it was being read"));
}

TEST_CASE("A file that changes during a pass is refused at its end", "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  const std::string path = folder.file("a.xyz", kFourRows);
  FileParts parts(files_of(path), 1, nullptr, silent);
  parts.rewind();
  REQUIRE(parts.next());
  folder.file("a.xyz", std::string(kFourRows) + "1 1 1\n");
  CHECK_THROWS_AS(
      [&] {
        while (parts.next()) continue;
      }(),
      Error);
}

TEST_CASE("A pass over other samples than the first is refused, whatever the file system says",
          "[sample_parts]") {
  const TemporaryFolder folder;
  const NoProgress silent;
  const Box bounds{{0, 0, 0}, {1, 1, 1}};
  const auto read_expecting = [&](const PassTotals& totals) {
    const std::string path = folder.file("a.xyz", kFourRows);
    FileParts parts(files_of(path), 3, nullptr, silent);
    parts.expect(io::InputStamps({path}), totals);
    return pass(parts);
  };
  CHECK(read_expecting({4, 4, bounds}) == 4);
  for (const PassTotals& other : {PassTotals{5, 4, bounds}, PassTotals{4, 4.1, bounds},
                                  PassTotals{4, 4, {{0, 0, 0}, {1, 1, 2}}}}) {
    const Error error = thrown_error([&] { read_expecting(other); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK_THAT(error.what(), ContainsSubstring("changed while they were read"));
  }
}

TEST_CASE("What can be read once alone is refused where it takes more", "[sample_parts]") {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("a.xyz");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& input : {std::string("-"), pipe, std::string("/dev/null")}) {
    const Error error = thrown_error([&] {
      require_read_again({folder.file("b.xyz", ""), input});
    });
    CHECK(error.kind() == ErrorKind::resources);
    CHECK_THAT(error.what(), ContainsSubstring("can be read only once"));
  }
  require_read_again({folder.file("b.xyz", ""), folder.path("is not there")});
}
