#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace skde {

/// What went wrong, as the exit code that the programs return for it.
enum class ErrorKind : int {
  slower = 1,       ///< measured times grew, where that was to fail
  usage = 2,        ///< flags or arguments that make no sense
  input = 3,        ///< a file or a cloud that cannot be used
  output = 4,       ///< a result that cannot be written
  resources = 5,    ///< memory or a device that is not there
  cancelled = 130,  ///< stopped by the user
};

/// The one exception type of skde. what() is a single line that names the thing (file, line, flag),
/// says what is wrong with it and which step mends it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

}  // namespace skde
