#pragma once

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

}  // namespace skde::test
