#pragma once

#include <functional>

namespace skde::io {

/// While this object exists, `meanwhile` is called again and again whenever this thread waits for
/// input from a pipe. An exception that it throws ends the reading. It may be empty.
class InputWait {
 public:
  explicit InputWait(std::function<void()> meanwhile);
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  /// Waits until the descriptor can be read or has ended. Returns at once if no InputWait exists.
  static void wait(int descriptor);

 private:
  std::function<void()> meanwhile_;
};

}  // namespace skde::io
