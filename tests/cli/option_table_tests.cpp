#include "cli/options/option_table.hpp"

#include <algorithm>

#include "cli/exit_code.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::cli;
using Catch::Matchers::ContainsSubstring;
using skde::test::usage_message;

namespace {

enum class Colour { red, green };

struct Fields {
  std::string output = "none";
  std::uint64_t count = 7;
  double share = 0.5;
  Colour colour = Colour::red;
  bool quiet = false;

  OptionTable table() {
    OptionTable table("tool run", "IN [FLAGS]", "Runs.");
    table.group("Files");
    table.value({.name = "output", .value = "FILE", .help = "where to", .letter = 'o'}, output);
    table.group("Numbers");
    table.value({.name = "count", .value = "N", .help = "how many", .by_default = "7"}, count,
                WholeNumber(1, 1000));
    table.value({.name = "share", .value = "S", .help = "how much", .by_default = "0.5"}, share,
                RealNumber(0));
    table.value({.name = "colour", .value = "NAME", .help = "which", .by_default = "red"}, colour,
                OneOf<Colour>{{"red", Colour::red}, {"green", Colour::green}});
    table.flag({.name = "quiet", .help = "says nothing"}, quiet);
    table.example("tool run a -o b", "from a to b");
    return table;
  }

  ParsedFlags parse(const std::vector<std::string>& arguments) { return table().parse(arguments); }

  std::string failure(const std::vector<std::string>& arguments) {
    return error_text(test::thrown_error([&] { parse(arguments); }));
  }
};

}  // namespace

TEST_CASE("Flags fill typed fields in any of their forms") {
  Fields fields;
  const ParsedFlags flags = fields.parse({"a", "-o", "b", "--count=1e2", "--share", "0.25",
                                          "--colour", "green", "--quiet", "c,d", "-"});
  CHECK(fields.output == "b");
  CHECK(fields.count == 100);
  CHECK(fields.share == 0.25);
  CHECK(fields.colour == Colour::green);
  CHECK(fields.quiet);
  CHECK(flags.positionals == std::vector<std::string>{"a", "c,d", "-"});
  CHECK(flags.has("output"));
  CHECK(flags.has("quiet"));
}

TEST_CASE("A flag with a bare value takes its words and what stands behind =") {
  const auto parsed = [](const std::vector<std::string>& arguments) {
    std::string frame = "none";
    OptionTable table("tool run", "IN [FLAGS]", "Runs.");
    table.value({.name = "frame",
                 .value = "FRAME",
                 .help = "which",
                 .words = {"earth", "sky"},
                 .bare = "earth"},
                frame);
    CHECK_THAT(table.help({}), ContainsSubstring("--frame [FRAME]"));
    const ParsedFlags flags = table.parse(arguments);
    for (const std::string& positional : flags.positionals) frame += " " + positional;
    return frame;
  };
  CHECK(parsed({"a"}) == "none a");
  CHECK(parsed({"--frame", "a"}) == "earth a");
  CHECK(parsed({"a", "--frame"}) == "earth a");
  CHECK(parsed({"--frame", "sky", "a"}) == "sky a");
  CHECK(parsed({"--frame", "sky:1,b", "a"}) == "sky:1,b a");
  CHECK(parsed({"--frame=other", "sky"}) == "other sky");
}

TEST_CASE("Fields keep their defaults where no flag is given") {
  Fields fields;
  const ParsedFlags flags = fields.parse({"a"});
  CHECK(fields.output == "none");
  CHECK(fields.count == 7);
  CHECK_FALSE(fields.quiet);
  CHECK(flags.given.empty());
}

TEST_CASE("Values may begin with a minus and names may follow two dashes") {
  Fields fields;
  const ParsedFlags flags = fields.parse({"--output", "-5,-5:5,5", "--", "--odd-name"});
  CHECK(fields.output == "-5,-5:5,5");
  CHECK(flags.positionals == std::vector<std::string>{"--odd-name"});
}

TEST_CASE("An unknown flag is an error that names the nearest one") {
  Fields fields;
  CHECK(fields.failure({"--cuont", "3"}) ==
        "unknown flag '--cuont'; did you mean '--count'? (see 'tool run --help')");
  CHECK(fields.failure({"--zzzzzzzz"}) == "unknown flag '--zzzzzzzz' (see 'tool run --help')");
  CHECK_THAT(fields.failure({"-x"}), ContainsSubstring("unknown flag '-x'"));
}

TEST_CASE("A flag given twice is an error") {
  Fields fields;
  CHECK_THAT(fields.failure({"--count", "3", "--count", "4"}),
             ContainsSubstring("--count is given 2 times"));
  CHECK_THAT(fields.failure({"--quiet", "--quiet"}), ContainsSubstring("--quiet is given 2 times"));
  CHECK_THAT(fields.failure({"-o", "a", "--output", "b"}),
             ContainsSubstring("--output is given 2 times"));
}

TEST_CASE("A flag without its value is an error") {
  Fields fields;
  CHECK_THAT(fields.failure({"--count"}), ContainsSubstring("--count needs a value"));
  CHECK_THAT(fields.failure({"-o"}), ContainsSubstring("-o needs a value"));
  CHECK_THAT(fields.failure({"--output="}), ContainsSubstring("--output needs a value"));
  CHECK_THAT(fields.failure({"--output", "--quiet"}), ContainsSubstring("--output needs a value"));
}

TEST_CASE("A refused value is an error that names its flag") {
  Fields fields;
  CHECK(fields.failure({"--count", "0"}) == "--count: must be an integer from 1 to 1000; got '0'");
  CHECK_THAT(fields.failure({"--count", "2.5"}), ContainsSubstring("must be an integer"));
  CHECK_THAT(fields.failure({"--count", "1001"}), ContainsSubstring("must be an integer"));
  CHECK_THAT(fields.failure({"--share", "-1"}),
             ContainsSubstring("--share: must be a finite number of at least 0; got '-1'"));
  CHECK_THAT(fields.failure({"--share", "nan"}), ContainsSubstring("must be a finite number"));
  CHECK_THAT(fields.failure({"--share", "1x"}), ContainsSubstring("must be a finite number"));
  CHECK_THAT(fields.failure({"--colour", "gren"}), ContainsSubstring("did you mean 'green'?"));
}

TEST_CASE("The flag --help wins over values and fills nothing") {
  Fields fields;
  CHECK(fields.parse({"--help", "--count", "0"}).help_wanted);
  CHECK(fields.parse({"-h"}).help_wanted);
  CHECK(fields.count == 7);
}

TEST_CASE("The help page has every group, flag, default and example within its width") {
  Fields fields;
  const std::string page = fields.table().help({}, 60);
  for (const char* part : {"Usage: tool run IN [FLAGS]", "\nFiles\n", "-o, --output FILE",
                           "--share S", "how much [0.5]", "tool run a -o b"})
    CHECK_THAT(page, ContainsSubstring(part));
  std::size_t longest = 0, column = 0;
  for (const char c : page) {
    column = c == '\n' ? 0 : column + 1;
    longest = std::max(longest, column);
  }
  CHECK(longest <= 60);
}

TEST_CASE("The help page shows the flags most used, and all where they are asked for") {
  Fields fields;
  OptionTable table = fields.table();
  table.most_used({"output", "share"});
  const auto page = [&](const std::vector<std::string>& arguments) {
    const ParsedFlags flags = table.parse(arguments);
    CHECK(flags.help_wanted);
    return table.help(flags);
  };
  const std::string brief = page({"--help"}), whole = page({"--help", "all"});
  CHECK_THAT(brief, ContainsSubstring("--output FILE") && ContainsSubstring("--share S") &&
                        !ContainsSubstring("--colour"));
  CHECK_THAT(brief, ContainsSubstring("3 more flags: tool run --help all\n") &&
                        ContainsSubstring("tool run a -o b"));
  for (const char* flag : {"--output", "--count", "--share", "--colour", "--quiet"})
    CHECK_THAT(whole, ContainsSubstring(flag));
  CHECK_THAT(whole, !ContainsSubstring("more flags"));
  CHECK(page({"-h", "all"}) == whole);
  CHECK(page({"a", "--help"}) == brief);
  CHECK_THAT(fields.table().help({}), !ContainsSubstring("more flags"));
}

TEST_CASE("An argument that is no flag can be refused") {
  Fields fields;
  const ParsedFlags flags = fields.parse({"stray"});
  CHECK_THROWS_WITH(flags.require_no_positionals(), ContainsSubstring("'stray'"));
  CHECK_NOTHROW(fields.parse({}).require_no_positionals());
}

TEST_CASE("Lists are read entry by entry") {
  const auto numbers = list_of(WholeNumber(1, 1000));
  CHECK(numbers("3") == std::vector<std::uint64_t>{3});
  CHECK(numbers("3,1e2,5") == std::vector<std::uint64_t>{3, 100, 5});
  for (const std::string wrong : {"", "3,", ",3", "3,,4", "3,2000"})
    CHECK_FALSE(usage_message([&] { numbers(wrong); }).empty());
  CHECK(WholeNumber<int>(1, 9)("7") == 7);
}

TEST_CASE("A name that nobody knows is an error that names the nearest one") {
  const auto engine = NameAmong({"span", "openmp"}, "engine");
  CHECK(engine("openmp") == "openmp");
  CHECK_THAT(usage_message([&] { engine("opnmp"); }),
             ContainsSubstring("unknown engine 'opnmp'; did you mean 'openmp'"));
}
