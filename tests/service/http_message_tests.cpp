#include <filesystem>
#include <fstream>
#include <map>

#include "io/bytes/scratch_file.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/file_response.hpp"
#include "service/http/openapi.hpp"
#include "service/jobs/execution_request.hpp"
#include "service/jobs/run_plan.hpp"
#include "service/store/access_tokens.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/content_hash.hpp"
#include "support/catch.hpp"

namespace skde::service {
namespace {

unsigned status_of_target(std::string_view target) {
  Request request;
  try {
    read_target(target, request);
  } catch (const Problem& problem) {
    return problem.status();
  }
  return 200;
}

}  // namespace

TEST_CASE("addresses are read segment by segment") {
  Request request;
  read_target("/jobs/a%20b/results?limit=5&name=x%2Fy+z", request);
  CHECK(request.path == std::vector<std::string>{"jobs", "a b", "results"});
  CHECK(request.query["limit"] == "5");
  CHECK(request.query["name"] == "x/y z");
  CHECK(request.segment(9).empty());
  for (const char* broken : {"/%", "/%4", "/%zz", "/a%00", "jobs"})
    CHECK(status_of_target(broken) == 400);
}

TEST_CASE("base64 is read with and without padding, and nothing else as base64") {
  // Section 10 of RFC 4648.
  for (const auto& [bytes, text] : std::map<std::string, std::string>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    CHECK(decoded_base64(text) == bytes);
    CHECK(decoded_base64(text.substr(0, text.find('='))) == bytes);
  }
  CHECK(decoded_base64("AP+/") == std::string("\0\xff\xbf", 3));
  for (const char* broken : {"Z", "Zg=", "Zg===", "Zm8==", "Zm9v=", "====", " Zg==", "Zg==\n",
                             "Zm9v ", "Z m8", "Zg==Zg==", "Z-_v", "Zm9vYg\n\n", "-Zm9"})
    CHECK_FALSE(decoded_base64(broken));
}

TEST_CASE("ranges of bytes") {
  const auto range = [](std::string_view header, std::uint64_t size) {
    const RangeChoice choice = choose_range(header, size);
    if (!choice.satisfiable) return std::string("416");
    if (!choice.range) return std::string("all");
    return std::to_string(choice.range->offset) + '+' + std::to_string(choice.range->length);
  };
  CHECK(range("bytes=0-3", 10) == "0+4");
  CHECK(range("bytes=4-", 10) == "4+6");
  CHECK(range("bytes=-3", 10) == "7+3");
  CHECK(range("bytes=-30", 10) == "0+10");
  CHECK(range("bytes=2-99", 10) == "2+8");
  CHECK(range("bytes=10-", 10) == "416");
  CHECK(range("bytes=-0", 10) == "416");
  for (const char* passed_over : {"", "bytes=", "bytes=3-2", "bytes=a-b", "lines=0-3",
                                  "bytes=0-1,3-4", "bytes=99999999999999999999-"})
    CHECK(range(passed_over, 10) == "all");
}

TEST_CASE("tags of a list") {
  for (const auto how : {TagComparison::weak, TagComparison::strong}) {
    CHECK(tag_matches("\"a\", \"b\"", "\"b\"", how));
    CHECK(tag_matches("*", "\"b\"", how));
    CHECK(tag_matches("*", "W/\"b\"", how));
    CHECK_FALSE(tag_matches("\"a\"", "\"b\"", how));
    CHECK_FALSE(tag_matches("", "\"b\"", how));
    const bool weak = how == TagComparison::weak;
    CHECK(tag_matches("W/\"b\"", "\"b\"", how) == weak);
    CHECK(tag_matches("W/\"b\"", "W/\"b\"", how) == weak);
    CHECK(tag_matches("\"b\"", "W/\"b\"", how) == weak);
  }
}

TEST_CASE("problems carry what errors of skde say") {
  const Problem problem = Problem::of(Error(ErrorKind::resources, "a volume of 8 GiB does not fit",
                                            {"dims", "use smaller `dims`"}));
  const auto json = problem.json();
  CHECK(json["status"] == 413);
  CHECK(json["kind"] == "resources");
  CHECK(json["parameter"] == "dims");
  CHECK(Problem::from_json(json).json() == json);
}

TEST_CASE("tokens are those of a file, and no others") {
  const io::ScratchFolder folder;
  const std::string path = folder.file("tokens");
  std::ofstream(path) << "# who may\n0123456789abcdef first\nfedcba9876543210fedc\n";
  std::filesystem::permissions(path, std::filesystem::perms(0644));  // readable by everyone
  CHECK_THROWS_AS(AccessTokens::from_file(path), Error);
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  const AccessTokens tokens = AccessTokens::from_file(path);
  CHECK(tokens.owner_of("Bearer 0123456789abcdef") == "first");
  CHECK(tokens.owner_of("Bearer fedcba9876543210fedc") ==
        "token-" + content_name("fedcba9876543210fedc"));
  for (const char* wrong : {"", "Bearer ", "Bearer 0123456789abcdeF", "0123456789abcdef",
                            "Basic 0123456789abcdef", "Bearer 0123456789abcdef0"})
    CHECK(tokens.owner_of(wrong).empty());
  std::ofstream(path) << "short\n";
  CHECK_THROWS_AS(AccessTokens::from_file(path), Error);
}

TEST_CASE("names of clouds tell no path, and their extensions the format") {
  CHECK(shown_name("../../etc/pass\nwd") == "pass_wd");
  CHECK(shown_name("") == "cloud");
  CHECK(shown_name("gr\u00f6\u00dfe \u20ac \U0001F600") == "gr\u00f6\u00dfe \u20ac \U0001F600");
  for (const char* broken : {"\xff", "\x80", "\xc3", "\xe2\x82", "\xc0\xaf", "\xe0\x80\x80",
                             "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5"}) {
    std::string mended;
    for (std::size_t i = 0; i < std::string_view(broken).size(); ++i) mended += "\uFFFD";
    CHECK(shown_name('a' + std::string(broken) + 'b') == 'a' + mended + 'b');
  }
  CHECK(shown_name(std::string(199, 'a') + "\u00e4.csv") == std::string(199, 'a'));
  CHECK(shown_name(std::string(300, '\xff')).size() == 198);
  CHECK(known_suffix("a/b.CSV.gz") == ".csv.gz");
  CHECK(known_suffix("x.ply") == ".ply");
  CHECK(known_suffix("x.exe").empty());
  CHECK(known_suffix("../.csv/../x").empty());
}

TEST_CASE("a request keeps what it asks for through the table of jobs") {
  const auto json = parse_json(
      R"({"inputs": {"cloud": "c1", "dims": [4, 5, 6], "bandwidth": 0.5, "adaptive": true},
          "outputs": {"volume": {"transmissionMode": "value"}}, "response": "document"})");
  const ExecutionRequest request = read_execution(process_named("density"), json);
  CHECK(request.resources.at("cloud") == "c1");
  CHECK(request.flags.at("dims") == "4,5,6");
  CHECK(request.flags.at("bandwidth") == "0.5");
  CHECK(request.flags.at("adaptive").empty());
  CHECK(request.format == "nrrd");
  const ExecutionRequest again =
      read_execution(process_named("density"), parse_json(execution_text(request)));
  CHECK(again.flags == request.flags);
  CHECK(again.resources == request.resources);
  CHECK(again.response == ResponseForm::document);
  CHECK(again.outputs.size() == 1);
  CHECK(again.outputs[0].by_reference == false);
}

TEST_CASE("no input of a request is taken for a file or another flag") {
  for (const Process& process : process_table())
    for (const FieldText& flag : process.flags) {
      CHECK(flag.name != "output");
      CHECK_FALSE(flag.local);
      if (flag.value.find("FILE") != flag.value.npos) {
        CHECK(flag.names_file);
        CHECK_FALSE(flag.type.words.empty());
      }
    }
  const auto with = [](const char* name, const char* value) {
    nlohmann::ordered_json json{{"inputs", {{"cloud", "c"}, {name, value}}}};
    return read_execution(process_named("density"), json);
  };
  for (const char* name : {"output", "o", "picture", "covariance-file", "json", "by"})
    CHECK_THROWS_AS(with(name, "/tmp/x"), Problem);
  CHECK_THROWS_AS(with("covariance", "/etc/passwd"), Problem);
  CHECK_THROWS_AS(with("units", "a\nb"), Problem);
  CHECK(with("covariance", "diag").flags.at("covariance") == "diag");
}

TEST_CASE("JSON that nests too deeply is refused before it is read") {
  CHECK_THROWS_AS(parse_json(std::string(200000, '[')), Problem);
  CHECK_THROWS_AS(parse_json("{\"a\": "), Problem);
  CHECK_THROWS_AS(parse_json(""), Problem);
  CHECK(parse_json(R"({"a": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})").contains("a"));
}

TEST_CASE("the API has an execution of every process that is listed") {
  for (const Process& process : process_table())
    CHECK(openapi_document()["paths"].contains("/processes/" + process.id + "/execution") ==
          process.listed);
}

}  // namespace skde::service
