#include "io/bytes/input_wait.hpp"

#include <poll.h>

#include <utility>

namespace skde::io {
namespace {

constexpr int kLookAgain = 20;  // ms

thread_local const std::function<void()>* meanwhile_here = nullptr;

}  // namespace

InputWait::InputWait(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {
  if (meanwhile_) meanwhile_here = &meanwhile_;
}

InputWait::~InputWait() { meanwhile_here = nullptr; }

void InputWait::wait(int descriptor) {
  if (meanwhile_here == nullptr) return;
  pollfd input{descriptor, POLLIN, 0};
  while (poll(&input, 1, kLookAgain) == 0) (*meanwhile_here)();
}

}  // namespace skde::io
