// Options for targets that call third-party libraries, which are not instrumented. Leaks in them
// are not our failures, nor are requests for more memory than there is, which return null.

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' names
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5_serial\nleak:libcfitsio\n";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
