#include "core/progress.hpp"

#include <catch2/catch.hpp>

#include "support/thrown_error.hpp"

using namespace skde;

namespace {

class Cancelled final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return true; }
};

}  // namespace

TEST_CASE("work that is cancelled throws, other work goes on", "[progress]") {
  const Error error = test::thrown_error([] { Cancelled().throw_if_cancelled(); });
  CHECK(error.kind() == ErrorKind::cancelled);
  CHECK(error.exit_code() == 130);
  CHECK_NOTHROW(NoProgress().throw_if_cancelled());
}

TEST_CASE("every kind of error has its exit code", "[progress]") {
  CHECK(Error(ErrorKind::usage, "a").exit_code() == 2);
  CHECK(Error(ErrorKind::input, "b").exit_code() == 3);
  CHECK(Error(ErrorKind::output, "c").exit_code() == 4);
  CHECK(Error(ErrorKind::resources, "d").exit_code() == 5);
  CHECK(std::string(Error(ErrorKind::resources, "d e").what()) == "d e");
}
