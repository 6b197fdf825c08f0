#include "io/points/columns/row_condition.hpp"
#include "reader_support.hpp"

namespace skde::test {
namespace {

void check_refused_condition(const std::string& condition,
                             std::initializer_list<std::string> fragments) {
  INFO(condition);
  check_error([&] { io::RowCondition{condition}; }, ErrorKind::usage, fragments);
}

}  // namespace

TEST_CASE("What is no condition is refused where it goes wrong", "[where]") {
  check_refused_condition("z >", {"character 4", "instead of its end", "[where]"});
  check_refused_condition("z > 10 &", {"character 8", "'&'", "write &&"});
  check_refused_condition("z > 10 && ", {"character 11", "a number or a text"});
  check_refused_condition("(z > 10", {"character 8", "expected ')'", "character 1"});
  check_refused_condition("z > 10)", {"character 7", "expected && or || instead of ')'"});
  check_refused_condition("0 < z < 10", {"character 7", "0 < z && z < 10"});
  check_refused_condition("3 == 4", {"character 1", "numbers and no column", "#4"});
  check_refused_condition("2 * (3 + 1) in (8)", {"character 1", "no column"});
  check_refused_condition("z + 2", {"character 6", "a comparison", "after a value", "its end"});
  check_refused_condition("(z > 2) + 1", {"character 9", "expected && or || instead of '+'"});
  check_refused_condition("z not 4", {"character 7", "'in' after 'not'", "the number 4"});
  check_refused_condition("z in 4", {"character 6", "a list as (2, 9)"});
  check_refused_condition("z in (4, y)", {"character 10", "a number or a date in the list"});
  check_refused_condition("z in ('a', 4)", {"character 12", "a text in quotes"});
  check_refused_condition("z + 1 in ('a')", {"character 11", "only a column"});
  check_refused_condition("z in (4", {"character 8", "',' or ')'", "its end"});
  check_refused_condition("z > 2020-02-30", {"character 5", "calendar does not have 2020-02-30"});
  check_refused_condition("z > 2020-02-28T25:00", {"character 15", "unknown form"});
  for (const char* date : {"2020-02", "2020-2-28", "28-02-2020", "2020/02/28", "2/28/2020"})
    check_refused_condition(fmt::format("z > {}", date), {"character 5", date, "with blanks"});
  check_refused_condition(std::string(65, '-') + "z > 1", {"more than 64 deep"});
  check_refused_condition("kind == 'quake", {"character 9", "the quote ' is not closed"});
  check_refused_condition("z 10", {"character 3", "a comparison", "the number 10"});
  check_refused_condition("z > 1e999", {"character 5", "range of double"});
  check_refused_condition("2theta > 1", {"character 1", "quotes"});
  check_refused_condition("a%b > 1", {"character 2", "'%'"});
  check_refused_condition("", {"character 1", "instead of its end"});
  check_refused_condition(std::string(65, '(') + "z > 1" + std::string(65, ')'),
                          {"more than 64 deep"});
  check_refused_condition(std::string(65, '!') + "z > 1", {"more than 64 deep"});
  check_refused_condition(std::string(4097, ' '), {"longer than 4096 bytes"});
  CHECK(io::RowCondition(std::string(64, '(') + "z > 1" + std::string(64, ')')).columns().size() ==
        1);
}

}  // namespace skde::test
