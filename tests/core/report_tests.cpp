#include "core/report/error.hpp"

#include <array>
#include <string_view>

#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

TEST_CASE("an error is data and a text", "[error]") {
  const Error error(ErrorKind::resources, "a grid needs 8 GiB",
                    {"dims", "use smaller `dims`, or `precision=f32`"});
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error_kind_name(error.kind()) == "resources");
  CHECK(error.problem() == "a grid needs 8 GiB");
  CHECK(error.parameter() == "dims");
  CHECK(std::string(error.what()) == "a grid needs 8 GiB; use smaller `dims`, or `precision=f32`");
  CHECK(std::string(Error(ErrorKind::input, "a: is empty").what()) == "a: is empty");
}

TEST_CASE("an error is renamed where it names a parameter", "[error]") {
  const Error error(ErrorKind::input, "no column", {"value", "name another `value`, or `where`"});
  const Error renamed = error.renaming("value", "time");
  CHECK(renamed.kind() == ErrorKind::input);
  CHECK(renamed.parameter() == "time");
  CHECK(std::string(renamed.what()) == "no column; name another `time`, or `where`");
  CHECK(error.renaming("val", "time") == error);
  CHECK(error.renaming("val", "time").parameter() == "value");
}

TEST_CASE("parameters in a suggestion are shown as the face has them", "[error]") {
  const auto python = [](std::string_view name, std::string_view value) {
    return std::string(name) + "=" + std::string(value);
  };
  CHECK(with_parameters("use `precision=f32` or smaller `dims`.", python) ==
        "use precision=f32 or smaller dims=.");
  CHECK(with_parameters("nothing here", python) == "nothing here");
  CHECK(with_parameters("a ` alone", python) == "a ` alone");
}

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
