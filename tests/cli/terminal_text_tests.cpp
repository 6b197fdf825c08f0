#include "cli/text/terminal_text.hpp"

#include "core/report/byte_size.hpp"
#include "core/report/error.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::cli;

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
