#include "core/report/progress.hpp"

#include "support/catch.hpp"
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
  CHECK_NOTHROW(NoProgress().throw_if_cancelled());
}
