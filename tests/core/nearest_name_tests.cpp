#include "core/report/nearest_name.hpp"

#include "support/catch.hpp"

#include <array>
#include <string_view>

using namespace skde;

namespace {

constexpr std::array<std::string_view, 3> kNames{"epanechnikov", "uniform", "biweight"};

}  // namespace

TEST_CASE("the nearest name is the one with the fewest edits", "[nearest_name]") {
  CHECK(nearest_name("unifrom", kNames) == "uniform");
  CHECK(nearest_name("epanechnikof", kNames) == "epanechnikov");
  CHECK(nearest_name("biwieght", kNames) == "biweight");
  CHECK(nearest_name("uniform", kNames) == "uniform");
}

TEST_CASE("an abbreviation is near to the shortest name that it shortens", "[nearest_name]") {
  constexpr std::array<std::string_view, 4> flags{"by", "by-bandwidth", "bandwidth", "boundary"};
  CHECK(nearest_name("bw", flags) == "bandwidth");
  CHECK(nearest_name("bdy", flags) == "boundary");
  CHECK(nearest_name("band", flags) == "bandwidth");
  CHECK(nearest_name("bandwith", flags) == "bandwidth");
  CHECK(nearest_name("bz", flags) == "by");
  CHECK(nearest_name("epan", kNames) == "epanechnikov");
  CHECK(nearest_name("nfrm", kNames).empty());  // the first letter must agree
}

TEST_CASE("no name is near to one that shares nothing", "[nearest_name]") {
  CHECK(nearest_name("qqqqqqqqq", kNames).empty());
  // A name that differs in two letters of three is a different word.
  CHECK(nearest_name("at", std::array<std::string_view, 2>{"of", "it"}) == "it");
  CHECK(nearest_name("xyz", std::array<std::string_view, 2>{"abz", "ayc"}).empty());
  CHECK(nearest_name("N", std::array<std::string_view, 2>{"vti", "nc"}).empty());
  CHECK(nearest_name(std::string(100000, 'a'), kNames).empty());
  CHECK(nearest_name("x", std::array<std::string_view, 0>{}).empty());
}

TEST_CASE("a suggestion lists all names and asks for the nearest", "[nearest_name]") {
  CHECK(did_you_mean("unifrom", kNames) ==
        "did you mean 'uniform'? (one of epanechnikov, uniform, biweight)");
  CHECK(did_you_mean("qqqqqqqqq", kNames) == "use one of epanechnikov, uniform, biweight");
}
