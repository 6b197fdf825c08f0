#include "cli/results/report.hpp"

#include <cmath>

#include "cli/exit_code.hpp"
#include "cli/report_parts.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"
#include "core/report/value_parsers.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::cli;

TEST_CASE("Counts have separators at thousands") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(12345678) == "12,345,678");
}

TEST_CASE("Values show six digits at most") {
  CHECK(format_value(0.1 + 0.2) == "0.3");
  CHECK(format_value(-0.0) == "0");
  CHECK(format_value(1234567) == "1.23457e+06");
}

TEST_CASE("Coordinates show the digits that matter in their box") {
  CHECK(format_coordinate(4500000.25, 100) == "4500000.25");
  CHECK(format_coordinate(4500000.123456, 100) == "4500000.123");
  CHECK(format_coordinate(-5, 10) == "-5");
  CHECK(format_coordinate(1.0 / 3, 1) == "0.33333");
  CHECK(format_coordinate(-1e-9, 10) == "0");
  CHECK(format_coordinate(123456, 1e7) == "123456");
  CHECK(format_coordinate(2.5, 0) == "2.5");
}

TEST_CASE("Durations are in the unit that suits them") {
  CHECK(format_duration(0) == "0 us");
  CHECK(format_duration(812e-6) == "812 us");
  CHECK(format_duration(0.0123) == "12.3 ms");
  CHECK(format_duration(1.234) == "1.23 s");
  CHECK(format_duration(125) == "2 min 05 s");
  CHECK(format_duration(3 * 3600 + 7 * 60) == "3 h 07 min");
}

TEST_CASE("Rates have decimal prefixes, those of bytes binary ones") {
  CHECK(format_rate(3.2e6, "samples") == "3.2 M samples/s");
  CHECK(format_rate(12, "slices") == "12 slices/s");
  CHECK(format_rate(1.5 * 1024 * 1024, "bytes") == "1.50 MiB/s");
}

TEST_CASE("A share below 1 is never shown as 100 %") {
  CHECK(format_share(1) == "100 %");
  CHECK(format_share(0.5) == "50 %");
  CHECK(format_share(0.999999) == "99.9999 %");
  CHECK(format_share(1 - 1e-15) == "just below 100 %");
}

TEST_CASE("A report aligns its texts behind its labels and its tables in columns") {
  Report report;
  report.line("a", "one");
  report.line("longer", "two");
  report.table("t", {{"x", "1", "22"}, {"yy", "333", "4"}});
  CHECK(report.text() ==
        "  a       one\n"
        "  longer  two\n"
        "  t       x     1  22\n"
        "          yy  333   4\n");
}

TEST_CASE("The bar shows share, rate and time left within the terminal's width") {
  const StageState half{"reading a.ply", 512 << 10, 1 << 20, "bytes", 0.5};
  CHECK(progress_line(half, 80) ==
        "reading a.ply  [###############---------------]   50 %  1.00 MiB/s  1 s left");
  for (std::size_t width : {10u, 30u, 45u, 60u, 200u})
    CHECK(progress_line(half, width).size() <= width);
  CHECK(progress_line({"s", 5, 5, "slices", 2}, 79).find("100 %") != std::string::npos);
  CHECK(progress_line({"s", 5, 5, "slices", 2}, 79).find("left") == std::string::npos);
  CHECK(progress_line({"s", 9, 5, "slices", 2}, 79).find("100 %") != std::string::npos);
}

TEST_CASE("A stage of unknown length shows what is done") {
  CHECK(progress_line({"reading standard input", 2048, 0, "bytes", 2}, 80) ==
        "reading standard input  2.00 KiB  1.00 KiB/s");
  CHECK(progress_line({"sorting", 0, 0, "samples", 0}, 80) == "sorting");
}

TEST_CASE("Text without control characters is shown as it is", "[terminal_text]") {
  CHECK(printable("H = h^2 S, 5 \xc2\xb5m, \xe6\x97\xa5 \xf0\x9f\x98\x80") ==
        "H = h^2 S, 5 \xc2\xb5m, \xe6\x97\xa5 \xf0\x9f\x98\x80");
}

TEST_CASE("Control characters and bytes that are not UTF-8 are shown as escapes",
          "[terminal_text]") {
  CHECK(printable("a\x1b[31m\n\r\tb\x7f") == "a\\x1b[31m\\n\\r\\tb\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");  // one-byte form of ESC [
  CHECK(printable("\xff.vti") == "\\xff.vti");
  CHECK(printable("\xc3") == "\\xc3");                    // truncated
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");           // overlong encoding
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half a surrogate pair
  CHECK(printable(std::string_view("\0x", 2)) == "\\x00x");
}

TEST_CASE("A long line loses its middle", "[terminal_text]") {
  const std::string line = printable_line("begin" + std::string(100000, 'a') + "end");
  CHECK(line.size() < 4096);
  CHECK(line.starts_with("begin"));
  CHECK(line.ends_with("end"));
  CHECK(printable_line(std::string(4096, 'a')) == std::string(4096, 'a'));
}

TEST_CASE("Sizes of memory take the usual units, of 1024", "[byte_size]") {
  for (const char* given : {"2G", "2g", "2GB", "2GiB", "2gib", "2 GB", "2147483648", "2147483648B"})
    CHECK(parse_bytes(given) == std::int64_t{1} << 31);
  CHECK(parse_bytes("1.5K") == 1536);
  CHECK(parse_bytes("1e3") == 1000);
  CHECK(parse_bytes("3T") == std::int64_t{3} << 40);
  for (const char* given : {"", "G", "2X", "2GBB", "2iB", "-1G", "0", "nan", "inf", "2G2", "0.1"}) {
    INFO(given);
    CHECK_THROWS_AS(parse_bytes(given), Error);
  }
}

TEST_CASE("Outliers are noted where they widen a cloud by more than half, or hide its tails") {
  const Samples cloud{{0, 0, 0, 2, 1, 0, 0, 4, 1, 1, 0, 5, -3, 1, 2}, {}};
  for (const double widening : {1.0, 1.45, 1 / 1.45, 1.55, 1 / 1.55}) {
    INFO(widening);
    Moments moments = compute_moments(cloud.view());
    moments.keep_robust_covariance((1 / (widening * widening)) * moments.covariance());
    Report report;
    add_outliers(report, moments);
    CHECK((report.text().find("--covariance robust") != std::string::npos) ==
          (std::abs(std::log(widening)) > std::log(1.5)));
  }
}

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
