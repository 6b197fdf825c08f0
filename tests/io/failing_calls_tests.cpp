#include <array>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/output_file.hpp"
#include "io/failing_calls.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Checks that failing calls while a file is written are reported, and that the old file is kept.
void check_told(const FailingCalls& calls) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.bin", "older");
  const Error error = thrown_error([&] {
    io::OutputFile file(path);
    file.write("newer");
    const CallsFail fail(calls);
    file.commit();
  });
  CHECK(error.kind() == ErrorKind::output);
  CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("a.bin"));
  CHECK(content_of(path) == "older");
  CHECK(folder.names().size() == 1);
}

}  // namespace

TEST_CASE("a write that fails at close() is told, and nothing is left", "[failing_calls]") {
  check_told({.closing = true});
}

TEST_CASE("bytes that do not reach the disk are told, and nothing is left", "[failing_calls]") {
  check_told({.syncing = true});
}

TEST_CASE("a write that is interrupted or short goes on", "[failing_calls]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  {
    const CallsFail fail({.write_interrupts = 3, .short_writes = true});
    io::OutputFile file(path);
    file.write("one two three");
    file.commit();
    CHECK(fail.left().write_interrupts == 0);
  }
  CHECK(content_of(path) == "one two three");
}

TEST_CASE("a read that is interrupted goes on", "[failing_calls]") {
  const TemporaryFolder folder;
  const auto source = io::open_source(folder.file("a.bin", "one"));
  const CallsFail fail({.read_interrupts = 3});
  std::array<char, 8> bytes{};
  CHECK(source->read(bytes.data(), bytes.size()) == 3);
  CHECK(fail.left().read_interrupts == 0);
}
