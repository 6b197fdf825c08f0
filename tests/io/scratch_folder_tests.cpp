#include "io/bytes/scratch_folder.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "io/text_file.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::io;
using namespace skde::test;

TEST_CASE("a scratch folder goes with all that is in it") {
  const TemporaryFolder parent;
  {
    const ScratchFolder folder(parent.path(""), "--scratch");
    CHECK(read_text(folder.write("a.txt", "some\ntext")) == "some\ntext");
    make_folder(folder.file("b/c"), "-o");
    CHECK(parent.names().size() == 1);
  }
  CHECK(parent.names().empty());
}

TEST_CASE("folders that cannot be made are told with what named them") {
  const TemporaryFolder parent;
  const std::string file = parent.file("file", "");
  const Error scratch = thrown_error([] { ScratchFolder("/no/such/folder", "--scratch"); });
  CHECK(scratch.kind() == ErrorKind::output);
  CHECK(says(scratch, "/no/such/folder: no folder can be created there"));
  CHECK(says(scratch, "(named by --scratch)"));
  const Error made = thrown_error([&] { make_folder(file + "/b", "-o"); });
  CHECK(made.kind() == ErrorKind::output);
  CHECK(says(made, "(named by -o)"));
}

TEST_CASE("texts are read and written whole") {
  const TemporaryFolder folder;
  const std::string text("a\0b\r\n", 5);
  write_text(folder.path("text"), text);
  CHECK(read_text(folder.path("text")) == text);
  CHECK(thrown_error([&] { read_text(folder.path("none")); }).kind() == ErrorKind::input);
  CHECK(thrown_error([] { write_text("/no/such/text", ""); }).kind() == ErrorKind::output);
}

TEST_CASE("fields of CSV are quoted where they have to be") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
}
