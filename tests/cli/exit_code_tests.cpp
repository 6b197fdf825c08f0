#include "cli/exit_code.hpp"

#include "support/catch.hpp"

using namespace skde;
using namespace skde::cli;

TEST_CASE("every kind of error has its exit code", "[exit_code]") {
  CHECK(exit_code(ErrorKind::usage) == 2);
  CHECK(exit_code(ErrorKind::unsupported) == 2);
  CHECK(exit_code(ErrorKind::input) == 3);
  CHECK(exit_code(ErrorKind::output) == 4);
  CHECK(exit_code(ErrorKind::resources) == 5);
  CHECK(exit_code(ErrorKind::cancelled) == 130);
}

TEST_CASE("the command line shows parameters as flags", "[exit_code]") {
  CHECK(error_text({ErrorKind::usage, "'0' is too few", {"dims", "try `dims=64`"}}) ==
        "--dims: '0' is too few; try --dims 64");
  CHECK(error_text({ErrorKind::resources, "no room", {"memory_limit", "raise `memory_limit`"}}) ==
        "no room; raise --memory-limit");
  CHECK(error_text({ErrorKind::input, "a.ply: is empty"}) == "a.ply: is empty");
}

TEST_CASE("a program ends with the code of what its work threw", "[exit_code]") {
  CHECK(exit_code_of({"test", "less"}, [] {}) == 0);
  CHECK(exit_code_of({"test", "less"}, [] { throw FailedCheck("it differs"); }) == 1);
  CHECK(exit_code_of({"test", "less"}, [] { throw Error(ErrorKind::output, "full"); }) == 4);
  CHECK(exit_code_of({"test", "less"}, [] { throw std::bad_alloc(); }) == 5);
}
