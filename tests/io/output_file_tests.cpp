#include "io/bytes/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/report/error.hpp"
#include "io/bytes/scratch_file.hpp"
#include "io/text/text_file.hpp"
#include "io/volume_support.hpp"
#include "support/skipped_test.hpp"
#include "support/thrown_error.hpp"

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

TEST_CASE("Nothing is left of a file whose program is killed") {
  const TemporaryFolder folder;
  const int unnamed = open(folder.path("").c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed < 0) {
    skipped("this file system has no files without names");
    return;
  }
  close(unnamed);
  const std::string path = folder.file("a.bin", "older");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    io::OutputFile file(path);
    file.resize(std::uint64_t{1} << 20);
    file.overwrite(5, "some", 4);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
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
    CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("missing/a.bin"));
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

TEST_CASE("a scratch folder goes with all that is in it") {
  const TemporaryFolder parent;
  {
    const io::ScratchFolder folder(parent.path(""), "--scratch");
    CHECK(io::read_text(folder.write("a.txt", "some\ntext")) == "some\ntext");
    io::make_folder(folder.file("b/c"), "-o");
    CHECK(parent.names().size() == 1);
  }
  CHECK(parent.names().empty());
}

TEST_CASE("folders that cannot be made are told with what named them") {
  const TemporaryFolder parent;
  const std::string file = parent.file("file", "");
  const Error scratch = thrown_error([] { io::ScratchFolder("/no/such/folder", "--scratch"); });
  CHECK(scratch.kind() == ErrorKind::output);
  CHECK(says(scratch, "/no/such/folder: no folder can be created there"));
  CHECK(says(scratch, "(named by --scratch)"));
  const Error made = thrown_error([&] { io::make_folder(file + "/b", "-o"); });
  CHECK(made.kind() == ErrorKind::output);
  CHECK(says(made, "(named by -o)"));
}

TEST_CASE("texts are read and written whole") {
  const TemporaryFolder folder;
  const std::string text("a\0b\r\n", 5);
  io::write_text(folder.path("text"), text);
  CHECK(io::read_text(folder.path("text")) == text);
  CHECK(thrown_error([&] { io::read_text(folder.path("none")); }).kind() == ErrorKind::input);
  CHECK(thrown_error([] { io::write_text("/no/such/text", ""); }).kind() == ErrorKind::output);
}

TEST_CASE("fields of CSV are quoted where they have to be") {
  CHECK(io::csv_field("plain text") == "plain text");
  CHECK(io::csv_field("a,b") == "\"a,b\"");
  CHECK(io::csv_field("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(io::csv_field("two\nlines") == "\"two\nlines\"");
}
