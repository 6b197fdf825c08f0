#include "estimate/read/sample_places.hpp"

#include "support/catch.hpp"

using namespace skde;

TEST_CASE("chunks without holes are where they were expected", "[sample_places]") {
  SamplePlaces places(10);
  SamplePlaces::Expected first = places.expect(5), second = places.expect(7);
  CHECK(first.begin == 10);
  CHECK(second.begin == 15);
  CHECK(places.reserve(first));
  CHECK(places.reserve(second));
  CHECK(places.take(first, 5) == 10);
  CHECK(places.take(second, 7) == 15);
  CHECK(places.taken() == 22);
}

TEST_CASE("behind a hole none has the places of a chunk that has not moved yet",
          "[sample_places]") {
  SamplePlaces places(0);
  SamplePlaces::Expected first = places.expect(5), second = places.expect(5);
  REQUIRE(places.reserve(first));
  REQUIRE(places.reserve(second));
  CHECK(places.take(first, 3) == 0);
  SamplePlaces::Expected third = places.expect(5);
  CHECK(third.begin == 8);  // the second one now ends at 8, not at 10
  CHECK_FALSE(places.reserve(third));
  CHECK(places.take(second, 5) == 3);
  SamplePlaces::Expected fourth = places.expect(5);
  CHECK(fourth.begin == 13);
  CHECK(places.reserve(fourth));
  CHECK(places.take(third, 5) == 8);
  CHECK(places.take(fourth, 5) == 13);
}

TEST_CASE("chunks whose rows nobody knows have places, too", "[sample_places]") {
  SamplePlaces places(0);
  CHECK(places.take({}, 4) == 0);
  CHECK(places.expect(2).begin == 4);
}
