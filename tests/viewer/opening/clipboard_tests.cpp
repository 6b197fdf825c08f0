#include "viewer/window/clipboard.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/session/view_link.hpp"

namespace {

using namespace skde;
using namespace skde::view;

/// Sets an environment variable while it exists.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Programs that stand for those of the clipboard, in a folder that is searched first.
struct Tools {
  test::TemporaryFolder folder;
  Variable path{"PATH", folder.path("") + ":/usr/bin:/bin"};
  Variable display{"DISPLAY", ":none"}, wayland{"WAYLAND_DISPLAY", ""};

  void add(const std::string& name, const std::string& script) {
    const std::string file = folder.file(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
};

TEST_CASE("a picture is given to the tool of the display, with its type") {
  Tools tools;
  const std::string told = tools.folder.path("told"), taken = tools.folder.path("taken");
  tools.add("xclip", "echo \"$@\" > " + told + "; cat > " + taken);
  ClipboardCopy copy;
  for (const auto& [name, type] : std::vector<std::pair<std::string, std::string>>{
           {"a.png", "image/png"}, {"a.svg", "image/svg+xml"}, {"a.pdf", "application/pdf"}}) {
    copy.start(tools.folder.file(name, "content of " + name));
    CHECK(copy.wait() == "copied to the clipboard");
    CHECK(test::content_of(taken) == "content of " + name);
    CHECK(test::content_of(told) == "-selection clipboard -t " + type + "\n");
  }
  CHECK_FALSE(copy.busy());
  CHECK_FALSE(copy.take_result());
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  tools.add("wl-copy", "exit 1");
  copy.start(tools.folder.file("b.png", "b"));
  CHECK(copy.wait() == "copied to the clipboard");  // by the other tool
  CHECK(test::content_of(taken) == "b");
}

TEST_CASE("a tool that fails or does not end is told, and nobody waits for it") {
  Tools tools;
  const std::string picture = tools.folder.file("a.png", "a");
  ClipboardCopy copy(0.3);
  tools.add("xclip", "exit 3");
  copy.start(picture);
  CHECK(copy.wait() == "not copied: xclip failed");
  const std::string late = tools.folder.path("late");
  tools.add("xclip", "(sleep 1; echo late > " + late + ") & sleep 60");
  const StopWatch watch;
  copy.start(picture);
  CHECK_FALSE(copy.take_result());
  CHECK(watch.seconds() < 0.2);
  CHECK(copy.wait() == "not copied: xclip does not end");
  copy.start(picture);  // and is given up by the next start
  copy.start(picture);
  CHECK(copy.wait() == "not copied: xclip does not end");
  CHECK(watch.seconds() < 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  CHECK_FALSE(std::filesystem::exists(late));  // what it had started has ended with it
}

TEST_CASE("that the tool is missing is said once") {
  Tools tools;
  const Variable path("PATH", tools.folder.path(""));
  const std::string picture = tools.folder.file("a.png", "a");
  ClipboardCopy copy;
  copy.start(picture);
  CHECK(copy.wait() == "not copied: install xclip");
  copy.start(picture);
  CHECK(copy.wait().empty());
  const Variable display("DISPLAY", "");
  copy.start(picture);
  CHECK(copy.wait() == "not copied: there is no display");
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  ClipboardCopy other;
  other.start(picture);
  CHECK(other.wait() == "not copied: install wl-clipboard");
}

}  // namespace

TEST_CASE("a window that cannot be opened says why") {
  CHECK(open_windows({{std::string(1 << 20, 'x')}}) ==
        "a window cannot be opened: Argument list too long");
  CHECK(open_windows({}).empty());
}
