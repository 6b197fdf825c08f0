#include "io/failing_calls.hpp"

#include <sys/types.h>

#include <algorithm>
#include <cerrno>

namespace {

skde::test::FailingCalls failing;

int fail(int error_number) {
  errno = error_number;
  return -1;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {

ssize_t __real_pread(int descriptor, void* to, size_t count, off_t position);
ssize_t __wrap_pread(int descriptor, void* to, size_t count, off_t position) {
  if (failing.read_interrupts > 0) return --failing.read_interrupts, fail(EINTR);
  return __real_pread(descriptor, to, count, position);
}

ssize_t __real_pwrite(int descriptor, const void* from, size_t count, off_t position);
ssize_t __wrap_pwrite(int descriptor, const void* from, size_t count, off_t position) {
  if (failing.write_interrupts > 0) return --failing.write_interrupts, fail(EINTR);
  return __real_pwrite(descriptor, from, failing.short_writes ? std::min<size_t>(count, 1) : count,
                       position);
}

int __real_close(int descriptor);
int __wrap_close(int descriptor) {
  const int result = __real_close(descriptor);
  return failing.closing ? fail(ENOSPC) : result;
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor) { return failing.syncing ? fail(EIO) : __real_fsync(descriptor); }

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace skde::test {

CallsFail::CallsFail(const FailingCalls& calls) { failing = calls; }
CallsFail::~CallsFail() { failing = {}; }
const FailingCalls& CallsFail::left() const { return failing; }

}  // namespace skde::test
