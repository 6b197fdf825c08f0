#include <string>
#include <variant>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/moments.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

/// Checks for an error that names the flag and what was typed.
void check_refused(const std::string& text, const std::string& why) {
  INFO("'" << text << "'");
  const Error error = thrown_error([&] { parse_bandwidth(text); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.parameter() == "bandwidth");
  CHECK(says(error, "'" + text + "'"));
  CHECK(says(error, why));
}

}  // namespace

TEST_CASE("a matrix that is singular but for rounding is no bandwidth", "[bandwidth]") {
  for (const char* text : {"1,1,0,1,0,1", "1,0.99999999999999989,0,1,0,1", "4,2,0,1,0,9",
                           "1,0,0,0,0,0,0,0,1", "1e-6,1,0,1e6,0,1"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_bandwidth(text), Error);
  }
  CHECK_NOTHROW(parse_bandwidth("1,0.999,0,1,0,1"));
}

TEST_CASE("a rule or numbers parse as what they are", "[bandwidth]") {
  CHECK(std::get<BandwidthRule>(parse_bandwidth("silverman")) == BandwidthRule::silverman);
  CHECK(std::get<BandwidthRule>(parse_bandwidth("scott")) == BandwidthRule::scott);
  CHECK(std::get<BandwidthRule>(parse_bandwidth("lcv")) == BandwidthRule::lcv);
  CHECK(std::get<BandwidthRule>(parse_bandwidth("lscv")) == BandwidthRule::lscv);
  CHECK(std::get<BandwidthRule>(parse_bandwidth("plug-in")) == BandwidthRule::plug_in);
  CHECK(std::get<double>(parse_bandwidth("0.25")) == 0.25);
  CHECK(std::get<double>(parse_bandwidth("1e-3")) == 1e-3);
  CHECK(std::get<Vec3>(parse_bandwidth("1,2.5,3e2")) == Vec3{1, 2.5, 300});
}

TEST_CASE("a matrix is 6 numbers of its upper half or 9 row by row", "[bandwidth]") {
  const Symmetric3 expected{4, 1, 0.5, 9, -2, 16};
  CHECK(std::get<Symmetric3>(parse_bandwidth("4,1,0.5,9,-2,16")) == expected);
  CHECK(std::get<Symmetric3>(parse_bandwidth("4,1,0.5,1,9,-2,0.5,-2,16")) == expected);
}

TEST_CASE("numbers that are no lengths are refused", "[bandwidth]") {
  for (const char* text : {"0", "0,0,0"}) {  // for histograms alone
    BandwidthSpec none;
    none.bandwidth = parse_bandwidth(text);
    CHECK(std::get<Vec3>(none.bandwidth) == Vec3{});
    CHECK_THROWS_AS(select_bandwidth({}, none, {}), Error);
  }
  for (const char* text : {"-1", "nan", "inf", "-inf", "1,0,1", "1,-2,3", "1,2,nan", "inf,1,1"})
    check_refused(text, "finite and above 0");
}

TEST_CASE("matrices that are none are refused", "[bandwidth]") {
  for (const char* text :
       {"4,1,0.5,2,9,-2,0.5,-2,16", "4,1,0.5,1,9,-2,0.6,-2,16", "4,1,0.5,1,9,-2,0.5,2,16"})
    check_refused(text, "must be symmetric");
  for (const char* text : {"1,1,0,1,0,1", "1,2,0,1,0,1", "0,0,0,0,0,0", "1,0,0,-1,0,1",
                           "1,0,0,1,0,nan", "inf,0,0,1,0,1", "1,1,0,1,1,0,0,0,1"})
    check_refused(text, "must be positive definite");
}

TEST_CASE("other texts are refused with what there is", "[bandwidth]") {
  for (const char* text : {"",
                           " ",
                           ",",
                           "1,",
                           ",1",
                           "1,,2",
                           "1,2",
                           "1,2,3,",
                           "1 2 3",
                           "1,2,3,4",
                           "1,2,3,4,5",
                           "1,2,3,4,5,6,7",
                           "1,2,3,4,5,6,7,8",
                           "Silverman",
                           "scott ",
                           "silvermann",
                           "0.5x",
                           "1,2,3x",
                           "x1",
                           "1e999"})
    check_refused(
        text,
        "must be auto, silverman, scott, normal-scale, normal-scott, lcv, lscv, plug-in, H, "
        "HX,HY,HZ");
}
