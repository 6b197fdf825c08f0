#include "core/space/grid.hpp"

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

TEST_CASE("boundaries are a word for all axes or one for each", "[boundary]") {
  const Boundaries mixed{Boundary::periodic, Boundary::none, Boundary::reflect};
  CHECK(parse_boundaries("periodic,none,reflect") == mixed);
  CHECK(boundaries_text(mixed) == "periodic,none,reflect");
  for (const auto& [word, boundary] : kBoundaries) {
    CHECK(parse_boundaries(word) == Boundaries{boundary, boundary, boundary});
    CHECK(boundaries_text({boundary, boundary, boundary}) == word);
    CHECK(has_boundary({Boundary::none, boundary, Boundary::none}) == (word != "none"));
  }
  for (const char* const bad :
       {"", "mirror", "reflect,none", "none,none,none,none", "none,,none"}) {
    const Error error = test::thrown_error([&] { parse_boundaries(bad); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.parameter() == "boundary");
  }
  CHECK(test::thrown_error([] { parse_boundaries("reflct"); }).suggestion().find("reflect") !=
        std::string::npos);
}

TEST_CASE("a place on a face that sums have rounded is between the faces", "[boundary]") {
  CHECK(is_between(0.1 + 0.2, 0, 0.3));
  CHECK(is_between(1e6, 1e6 - 1, 1e6 * (1 - 1e-16)));
  CHECK_FALSE(is_between(0.3 + 1e-12, 0, 0.3));
}
