#include "io/bytes/output_file.hpp"

#include <sys/stat.h>

#include "core/report/error.hpp"
#include "io/volume_support.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("A file appears at commit, whole") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  {
    io::OutputFile file(path);
    file.write("one ");
    file.write("two");
    file.overwrite(0, "O", 1);
    file.write("!");
    CHECK(file.size() == 8);
    CHECK_FALSE(std::filesystem::exists(path));
    file.commit();
  }
  CHECK(content_of(path) == "One two!");
  CHECK(folder.names().size() == 1);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  const mode_t mask = umask(0);
  umask(mask);
  CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("A file that is closed still takes its name at commit alone") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.bin", "older");
  io::OutputFile file(path);
  file.write("newer");
  file.close();
  CHECK(content_of(path) == "older");
  file.commit();
  CHECK(content_of(path) == "newer");
  CHECK(folder.names().size() == 1);
}

TEST_CASE("A link stays one, and the file is written where it leads") {
  const TemporaryFolder folder;
  const std::string target = folder.file("a.bin", "older"), link = folder.path("link.bin");
  std::filesystem::create_symlink("a.bin", link);
  io::OutputFile file(link);
  file.write("newer");
  file.commit();
  CHECK(std::filesystem::is_symlink(link));
  CHECK(content_of(target) == "newer");
  CHECK(folder.names().size() == 2);
}

TEST_CASE("Without commit the older file stays and nothing is left") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.bin", "older");
  { io::OutputFile(path).write("newer"); }
  CHECK(content_of(path) == "older");
  CHECK(folder.names().size() == 1);
}

TEST_CASE("A folder that is missing is an output error that names the file") {
  const TemporaryFolder folder;
  try {
    io::OutputFile file(folder.path("missing/a.bin"));
    FAIL_CHECK("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::output);
    CHECK_THAT(error.what(), Catch::Contains("missing/a.bin"));
  }
}

TEST_CASE("Bytes of a large file, some of which are on their way to the disk, may be overwritten") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  const std::size_t piece = (std::size_t{3} << 20) + 17;
  std::string expected;
  io::OutputFile file(path);
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const std::string bytes(piece, letter);
    file.write(bytes);
    expected += bytes;
  }
  file.overwrite(5, "head", 4);
  expected.replace(5, 4, "head");
  CHECK(file.size() == expected.size());
  file.commit();
  CHECK(content_of(path) == expected);
}
