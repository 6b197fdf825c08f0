#pragma once

namespace skde::test {

/// Calls of the system that fail while one of these lives; the linker leads them there (--wrap).
struct FailingCalls {
  int read_interrupts = 0;    ///< that many reads, with EINTR
  int write_interrupts = 0;   ///< that many writes, with EINTR
  bool short_writes = false;  ///< a write takes a byte at a time
  bool closing = false;       ///< close() tells of a full disk, though it closes
  bool syncing = false;       ///< fsync() tells of a broken disk
};

class CallsFail {
 public:
  explicit CallsFail(const FailingCalls& calls);
  ~CallsFail();
  CallsFail(const CallsFail&) = delete;
  CallsFail& operator=(const CallsFail&) = delete;
  /// What is left of the calls that were to fail.
  const FailingCalls& left() const;
};

}  // namespace skde::test
