#include "viewer/session/view_state_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/random_view_state.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::says;
using test::thrown_error;

/// Returns the error of a state file with one key changed.
Error refusal(const std::string& pointer, const nlohmann::ordered_json& value) {
  nlohmann::ordered_json json = view_state_json(ViewState{});
  json[nlohmann::ordered_json::json_pointer(pointer)] = value;
  return thrown_error([&] { view_state_from(json, "view.json"); });
}

/// Sets an environment variable, and restores it at the end of the scope.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("a view comes back from its file as it was") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("view.json");
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const ViewState state = test::random_view_state(random);
    CHECK(view_state_from(view_state_json(state), "view.json") == state);
    if (i % 50) continue;
    save_view_state(path, state);
    CHECK(load_view_state(path) == state);
  }
}

TEST_CASE("keys that are missing take their defaults") {
  CHECK(view_state_from(nlohmann::ordered_json::object(), "view.json") == ViewState{});
  const auto json = nlohmann::ordered_json::parse(R"({"camera": {"zoom": 3}, "mode": "maximum"})");
  ViewState expected;
  expected.camera.zoom = 3;
  expected.mode = RenderMode::maximum;
  CHECK(view_state_from(json, "view.json") == expected);
}

TEST_CASE("a wrong value of a view is refused by file and key") {
  struct Wrong {
    const char* pointer;
    nlohmann::ordered_json value;
    const char* words;
  };
  const Wrong cases[]{
      {"/version", 2, "'version' must be an integer from 1 to 1"},
      {"/zoom", 2, "'zoom' is not a known key"},
      {"/camera/zom", 2, "'camera.zom' is not a known key; did you mean 'zoom'"},
      {"/camera/zoom", 0, "'camera.zoom' must be a number from"},
      {"/camera/zoom", "2", "'camera.zoom' must be a number"},
      {"/camera/focus", {1, 2}, "'camera.focus' must be an array of 3 numbers"},
      {"/camera", nullptr, "'camera' must be an object"},
      {"/mode", "composit", "'mode' cannot be 'composit'; did you mean 'composite'"},
      {"/mode", 3, "'mode' cannot be 'number'"},
      {"/points", 1, "'points' must be true or false"},
      {"/files", "a.ply", "'files' must be an array of strings"},
      {"/bandwidth", {1, 2, -3}, "must be finite and above 0; got '1,2,-3'"},
      {"/sample", 18446744073709551615u, "'sample' must be an integer"},
      {"/isovalue", 1.5, "'isovalue' must be a number from 0 to 1"},
      {"/transfer/points", {{0, 0}, {0.5, 0}}, "'transfer.points' is invalid: the first point"},
      {"/transfer/points", {{0, 0}, {1}}, "'transfer.points' must be an array of 2 numbers"},
      {"/transfer/axis/high", 0, "'transfer.axis.high' must be above 'low'"},
      {"/transfer/axis/low", 0, "needs a 'low' above 0"},
      {"/transfer", nlohmann::ordered_json::object(), "'transfer.colors' is missing"},
  };
  for (const Wrong& wrong : cases) {
    const Error error = refusal(wrong.pointer, wrong.value);
    INFO(wrong.pointer << ": " << error.what());
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "view.json: "));
    CHECK(says(error, wrong.words));
  }
}

TEST_CASE("a file that is no view is refused by its name") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("broken.json");
  for (const char* text : {"", "{", "[]", "{\"sample\": 1e999}", "{\"units\": \"\xff\"}"}) {
    write(path, text);
    const Error error = thrown_error([&] { load_view_state(path); });
    INFO(error.what());
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, path));
  }
  CHECK(says(thrown_error([&] { load_view_state(folder.path("none.json")); }), "cannot be read"));
  CHECK(thrown_error([&] { save_view_state(folder.path("no/folder.json"), {}); }).kind() ==
        ErrorKind::output);
}

TEST_CASE("a transfer function comes back from its file as it was") {
  const test::TemporaryFolder folder;
  std::mt19937 random(5);
  const TransferFunction function = test::random_transfer_function(random);
  save_transfer_function(folder.path("colors.json"), function);
  CHECK(load_transfer_function(folder.path("colors.json")) == function);
  write(folder.path("colors.json"), R"({"colors": "magma"})");
  CHECK(says(thrown_error([&] { load_transfer_function(folder.path("colors.json")); }),
             "colors.json: 'opacity_scale' is missing"));
}

TEST_CASE("the recent view is kept under XDG_STATE_HOME and its loss is told and no error") {
  const test::TemporaryFolder folder;
  const Environment state_home("XDG_STATE_HOME", folder.path("state"));
  CHECK(recent_state_path() == folder.path("state/skde/view.json"));
  CHECK(!load_recent_state().state);
  CHECK(load_recent_state().complaint.empty());
  std::mt19937 random(2);
  const ViewState state = test::random_view_state(random);
  CHECK(save_recent_state(state).empty());
  CHECK(load_recent_state().state == state);

  write(recent_state_path(), "{\"verson\": 1}");
  CHECK(!load_recent_state().state);
  CHECK_THAT(load_recent_state().complaint, Catch::Matchers::ContainsSubstring("'verson'"));

  CHECK(save_recent_state(state).empty());
  CHECK(load_recent_state().state == state);
  CHECK(std::filesystem::file_size(recent_state_path() + ".broken") == 13);

  const Environment relative("XDG_STATE_HOME", "state");
  const Environment home("HOME", folder.path("home"));
  CHECK(recent_state_path() == folder.path("home/.local/state/skde/view.json"));
  write(folder.path("home/.local/state"), "a file where a folder should be");
  CHECK(!save_recent_state(state).empty());
  const Environment homeless("HOME", "");
  CHECK(recent_state_path().empty());
  CHECK(!save_recent_state(state).empty());
}
