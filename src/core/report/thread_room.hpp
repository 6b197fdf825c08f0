#pragma once

namespace skde {

/// Returns `threads`, or for 0 the number of cores that this process may use.
int thread_count(int threads);

/// Throws Error(resources) if the system does not let this process run `threads` threads at once
/// (0: one per core); OpenMP would end the program instead. Cheap after the first time.
void require_threads(int threads);

}  // namespace skde
