#pragma once

namespace skde::test {

/// Which system calls fail while a CallsFail lives; the linker redirects the calls (--wrap).
struct FailingCalls {
  int read_interrupts = 0;    ///< number of reads that fail with EINTR
  int write_interrupts = 0;   ///< number of writes that fail with EINTR
  bool short_writes = false;  ///< a write takes one byte at a time
  bool closing = false;       ///< close() closes, but reports a full disk
  bool syncing = false;       ///< fsync() reports a broken disk
};

class CallsFail {
 public:
  explicit CallsFail(const FailingCalls& calls);
  ~CallsFail();
  CallsFail(const CallsFail&) = delete;
  CallsFail& operator=(const CallsFail&) = delete;
  /// The failures that have not happened yet.
  const FailingCalls& left() const;
};

}  // namespace skde::test
