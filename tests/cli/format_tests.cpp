#include "cli/results/report.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/number_format.hpp"
#include "support/catch.hpp"

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
