#pragma once

#include <functional>

namespace skde::io {

/// While this thread waits for what a pipe brings, `meanwhile` is called again and again, until the
/// end of this object. What it throws ends the reading. An empty one is none.
class InputWait {
 public:
  explicit InputWait(std::function<void()> meanwhile);
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  /// Waits until something can be read, or the end was reached. At once without such an object.
  static void wait(int descriptor);

 private:
  std::function<void()> meanwhile_;
};

}  // namespace skde::io
