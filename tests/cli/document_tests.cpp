#include "cli/documents/document.hpp"

#include "cli/command_program.hpp"
#include "cli/options/option_table.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::cli;
using Catch::Matchers::ContainsSubstring;

namespace {

struct ToolFields {
  std::string output, form, name, size;
  bool quiet = false;
};

OptionTable make_table(ToolFields& fields) {
  OptionTable table("tool run", "IN... [FLAGS]", ".5 isn't a \\ path; see 'tool'.");
  table.group("Files");
  table.value({.name = "output", .value = "FILE.png", .help = "where [to]: 'here'", .letter = 'o'},
              fields.output);
  table.value({.name = "form", .value = "plain|packed|FILE", .help = "how"}, fields.form);
  table.group("Others");
  table.value({.name = "name", .value = "NAME", .help = "which", .words = {"ann", "bob"}},
              fields.name);
  table.value({.name = "size", .value = "N|NX,NY", .help = "how large", .by_default = "7"},
              fields.size);
  table.flag({.name = "quiet", .help = "says nothing"}, fields.quiet);
  table.example("tool run a -o b.png", "from a to b");
  return table;
}

TableDescription description() {
  ToolFields fields;
  return make_table(fields).describe();
}

ProgramDescription tool() {
  return {"tool", "does things", {{"run", "runs", description()}}, {}, {{"tool run a", "runs a"}}};
}

std::string tool_document(const std::vector<std::string>& what) { return document(tool(), what); }

}  // namespace

TEST_CASE("a table describes what it was filled with", "[documents]") {
  const TableDescription table = description();
  CHECK(table.command == "tool run");
  REQUIRE(table.groups.size() == 2);
  CHECK(table.groups[0].title == "Files");
  CHECK(table.groups[0].flags.size() == 2);
  CHECK(table.groups[1].flags[0].words == std::vector<std::string>{"ann", "bob"});
  CHECK(table.groups[1].flags[1].by_default == "7");
  CHECK(table.examples.at(0).meaning == "from a to b");
}

TEST_CASE("the hidden flag asks a table for its documents", "[documents]") {
  ToolFields fields;
  const OptionTable table = make_table(fields);
  const auto wanted = [&](std::vector<std::string> words) {
    return wanted_document(table.describe(), words);
  };
  CHECK_THAT(wanted({std::string(kDescribeFlag), "man"}).value(),
             ContainsSubstring(".TH \"TOOL RUN\" 1"));
  CHECK_FALSE(wanted({}));
  CHECK_FALSE(wanted({"x", "--describe"}));
  CHECK_THAT(table.help({}), !ContainsSubstring("describe"));
  CHECK_THROWS_AS(table.parse(std::vector<std::string>{"x", "--describe"}), Error);
}

TEST_CASE("shells are offered what a value is written as", "[documents]") {
  const auto choice = [](std::string value, std::vector<std::string> words = {}) {
    return choice_of(
        {.name = "f", .value = std::move(value), .help = "", .words = std::move(words)});
  };
  using Words = std::vector<std::string>;
  CHECK(choice("drop|error").words == Words{"drop", "error"});
  CHECK(choice("data|iso|FILE").words == Words{"data", "iso"});
  CHECK(choice("data|iso|FILE").files);
  CHECK_FALSE(choice("drop|error").files);
  CHECK(choice("VOLUME").files);
  CHECK(choice("FILE.png").suffix == ".png");
  CHECK(choice("FOLDER").folders);
  CHECK(choice("NAME", {"ann"}).words == Words{"ann"});
  for (const char* open : {"N", "X,Y,Z", "S|SX,SY,SZ", "X0,Y0:X1,Y1", "NAME", "WxH"})
    CHECK(choice(open).is_open());
}

TEST_CASE("shells are offered files or words as arguments", "[documents]") {
  const auto choice = [](std::string arguments, std::vector<std::string> words = {}) {
    TableDescription table;
    table.arguments = std::move(arguments);
    table.argument_words = std::move(words);
    return choice_of_arguments(table);
  };
  CHECK(choice("IN... -o OUT [FLAGS]").files);
  CHECK(choice("[FILE...] [FLAGS]").files);
  CHECK(choice("OLD.json NEW.json").suffix == ".json");
  CHECK(choice("[--json]").is_open());
  CHECK(choice("[FLAGS]").is_open());
  CHECK(choice("KIND -o FILE", {"round"}).words == std::vector<std::string>{"round"});
}

TEST_CASE("a manual page shows every character as it is typed", "[documents]") {
  const std::string page = tool_document({"man", "run"});
  CHECK_THAT(page, ContainsSubstring(".SH NAME\ntool\\-run \\- runs\n"));
  CHECK_THAT(page, ContainsSubstring("\n\\&.5 isn\\(aqt a \\e path; see \\(aqtool\\(aq.\n"));
  CHECK_THAT(page, ContainsSubstring(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE.png\\fR\n"));
  CHECK_THAT(page, ContainsSubstring("\nhow large [7]\n"));
  CHECK_THAT(page, ContainsSubstring(".SS Others\n"));
  CHECK_THAT(page, ContainsSubstring("\\fBtool\\fR(1)"));
  CHECK_THAT(tool_document({"man"}), ContainsSubstring("runs; see tool\\-run(1)"));
  CHECK_THAT(tool_document({"man"}), ContainsSubstring("\\fBtool run a\\fR\nruns a\n"));
}

TEST_CASE("completions name commands, flags, words and files", "[documents]") {
  const std::string bash = tool_document({"bash"});
  CHECK_THAT(bash, ContainsSubstring("-o | --output) _tool_files '.png' ;;"));
  CHECK_THAT(bash, ContainsSubstring("--form) _tool_words 'plain packed'; _tool_files '' ;;"));
  CHECK_THAT(bash, ContainsSubstring("--size) ;;"));
  CHECK_THAT(bash, ContainsSubstring("complete -F _tool tool\n"));
  const std::string zsh = tool_document({"zsh"});
  CHECK_THAT(zsh,
             ContainsSubstring("'(-o --output)--output=[where \\[to\\]\\: '\\''here'\\'']:FILE.png:"
                               "_files -g \"*.png\"'"));
  CHECK_THAT(zsh, ContainsSubstring("'--name=[which]:NAME:(ann bob)'"));
  CHECK_THAT(zsh, ContainsSubstring("'--quiet[says nothing]'"));
  CHECK(tool_document({"commands"}) == "run\n");
}

TEST_CASE("what is no document is refused", "[documents]") {
  CHECK(test::says(test::thrown_error([] { tool_document({"troff"}); }), "got 'troff'"));
  CHECK(test::says(test::thrown_error([] { tool_document({}); }), "expected man"));
  CHECK(test::says(test::thrown_error([] {
                     tool_document({"man", "walk"});
                   }),
                   "no command 'walk'"));
}
