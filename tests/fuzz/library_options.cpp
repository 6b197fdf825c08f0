// Targets that call libraries of others, which are not instrumented: what those leak of broken
// files is theirs to mend, and that they ask for more memory than there is, and get none, is no
// failure.

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' names
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5_serial\nleak:libcfitsio\n";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
