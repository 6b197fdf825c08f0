#include "core/report/error.hpp"

#include "support/catch.hpp"

using namespace skde;

TEST_CASE("an error is data and a text", "[error]") {
  const Error error(ErrorKind::resources, "a grid needs 8 GiB",
                    {"dims", "use smaller `dims`, or `precision=f32`"});
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error_kind_name(error.kind()) == "resources");
  CHECK(error.problem() == "a grid needs 8 GiB");
  CHECK(error.parameter() == "dims");
  CHECK(std::string(error.what()) == "a grid needs 8 GiB; use smaller `dims`, or `precision=f32`");
  CHECK(std::string(Error(ErrorKind::input, "a: is empty").what()) == "a: is empty");
}

TEST_CASE("an error is renamed where it names a parameter", "[error]") {
  const Error error(ErrorKind::input, "no column", {"value", "name another `value`, or `where`"});
  const Error renamed = error.renaming("value", "time");
  CHECK(renamed.kind() == ErrorKind::input);
  CHECK(renamed.parameter() == "time");
  CHECK(std::string(renamed.what()) == "no column; name another `time`, or `where`");
  CHECK(error.renaming("val", "time") == error);
  CHECK(error.renaming("val", "time").parameter() == "value");
}

TEST_CASE("parameters in a suggestion are shown as the face has them", "[error]") {
  const auto python = [](std::string_view name, std::string_view value) {
    return std::string(name) + "=" + std::string(value);
  };
  CHECK(with_parameters("use `precision=f32` or smaller `dims`.", python) ==
        "use precision=f32 or smaller dims=.");
  CHECK(with_parameters("nothing here", python) == "nothing here");
  CHECK(with_parameters("a ` alone", python) == "a ` alone");
}
