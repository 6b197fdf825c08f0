#pragma once

#include <string>
#include <vector>

namespace skde::view::gl {

/// Collects the driver's messages for the current context, if that is a debug context. Keeps
/// errors, at most a hundred of them.
class DebugOutput {
 public:
  DebugOutput();
  ~DebugOutput();
  DebugOutput(const DebugOutput&) = delete;
  DebugOutput& operator=(const DebugOutput&) = delete;

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

}  // namespace skde::view::gl
