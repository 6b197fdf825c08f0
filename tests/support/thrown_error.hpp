#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "support/catch.hpp"

namespace skde::test {

/// Returns the Error that `body` throws; fails the test case if it throws none.
template <class Body>
Error thrown_error(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no Error was thrown");
  return {ErrorKind::usage, ""};
}

/// Returns the message of the Error(usage) that `body` throws.
template <class Body>
std::string usage_message(Body&& body) {
  const Error error = thrown_error(body);
  CHECK(error.kind() == ErrorKind::usage);
  return error.what();
}

/// Returns whether the message is a single line that contains `part`.
inline bool says(const Error& error, std::string_view part) {
  const std::string_view message = error.what();
  return message.find(part) != std::string_view::npos && message.find('\n') == message.npos;
}

/// Checks that `body` throws an Error of this kind, in one line that contains all parts.
template <class Body>
void check_thrown(ErrorKind kind, std::initializer_list<std::string_view> parts, Body&& body) {
  const Error error = thrown_error(body);
  INFO(error.what());
  CHECK(error.kind() == kind);
  for (const std::string_view part : parts) CHECK(says(error, part));
}

}  // namespace skde::test
