#include <string>

#include "core/space/grid.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

using Dims = std::array<std::int64_t, 3>;

/// Checks for a usage error that names the flag and what was typed.
template <class Parse>
void check_refused(Parse&& parse, const std::string& parameter, const std::string& text) {
  INFO(parameter << " '" << text << "'");
  const Error error = thrown_error([&] { parse(text); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.parameter() == parameter);
  CHECK(says(error, "'" + text + "'"));
}

}  // namespace

TEST_CASE("bounds parse as two corners", "[grid]") {
  CHECK(parse_bounds("0,1,2:3,4,5") == Box{{0, 1, 2}, {3, 4, 5}});
  CHECK(parse_bounds("-5,-5.5,-1e3:5,1e6,.5") == Box{{-5, -5.5, -1000}, {5, 1e6, 0.5}});
}

TEST_CASE("bounds that are no box are refused", "[grid]") {
  for (const char* text : {"", ":", "0,0,0", "0,0,0:", ":1,1,1", "0,0:1,1", "0,0,0:1,1",
                           "0,0,0:1,1,1,1", "0,0,0:1,1,1:2,2,2", "0,0,0 1,1,1", "0,0,0:1,1,x",
                           "0,0,0:1,1,1 ", "0,,0:1,1,1", "0,0,0,:1,1,1", "0;0;0:1;1;1"})
    check_refused(parse_bounds, "bounds", text);
  for (const char* text :
       {"0,0,0:1,1,0", "0,2,0:1,1,1", "1,0,0:1,1,1", "nan,0,0:1,1,1", "0,0,0:1,nan,1",
        "0,0,0:inf,1,1", "-inf,0,0:1,1,1", "-1e308,0,0:1e308,1,1"})
    check_refused(parse_bounds, "bounds", text);
  CHECK(says(thrown_error([] { parse_bounds("0,2,0:1,1,1"); }), "y0"));
  CHECK(says(thrown_error([] { parse_bounds("0,0,1:1,1,1"); }), "z0"));
}

TEST_CASE("bounds of six numbers are refused with the two corners that are meant", "[grid]") {
  const auto mended = [](const char* text) {
    return thrown_error([&] { parse_bounds(text); }).suggestion();
  };
  const auto ends_in = [](const std::string& text, std::string_view end) {
    return text.ends_with(end);
  };
  for (const char* text : {"0,1,2,3,4,5", "0 1 2 3 4 5", "0,1,2;3,4,5", "0;1;2:3;4;5"})
    CHECK(ends_in(mended(text), "`bounds=0,1,2:3,4,5`"));
  CHECK(ends_in(mended("0:3,1:4,2:5"), "`bounds=0,1,2:3,4,5`"));  // one range per axis
  CHECK(ends_in(mended("0:1,2:3,4:5"), "`bounds=0,2,4:1,3,5`"));
  CHECK(ends_in(mended("0,3,-1,4,-2,5"), "`bounds=0,-1,-2:3,4,5`"));
  CHECK(ends_in(mended("0,0,0"), "`bounds=0,0,0:1,1,1`"));
}

TEST_CASE("dims parse as one number or three", "[grid]") {
  CHECK(parse_dims("64") == Dims{64, 0, 0});
  CHECK(parse_dims("1,2,2147483647") == Dims{1, 2, 2147483647});
}

TEST_CASE("dims that are no numbers of cells are refused", "[grid]") {
  for (const char* text : {"",
                           "x",
                           "64,64",
                           "1,2,3,4",
                           "64,",
                           ",64",
                           "64,,64",
                           "64.5",
                           "1e3",
                           "64 64 64",
                           "64x64x64",
                           "0",
                           "-1",
                           "0,1,1",
                           "1,-1,1",
                           "1,1,0",
                           "2147483648",
                           "1,1,2147483648",
                           "9223372036854775808",
                           "99999999999999999999999"})
    check_refused(parse_dims, "dims", text);
}

TEST_CASE("spacing parses as one number or three", "[grid]") {
  CHECK(parse_spacing("0.5") == Vec3{0.5, 0.5, 0.5});
  CHECK(parse_spacing("0.5,1e-3,20") == Vec3{0.5, 0.001, 20});
}

TEST_CASE("spacing that is no length is refused", "[grid]") {
  for (const char* text : {"", "x", "1,2", "1,2,3,4", "1,", "1 2 3", "0", "-1", "nan", "inf",
                           "1,0,1", "1,1,-1", "1,nan,1", "1,1,inf", "1m", "1e999"})
    check_refused(parse_spacing, "spacing", text);
}
