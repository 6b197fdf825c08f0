#pragma once

#include <string>
#include <vector>

namespace skde::view::gl {

/// Collects what the driver of the current context has to complain about, as far as the context
/// was made for debugging. Errors are kept, at most a hundred of them.
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
