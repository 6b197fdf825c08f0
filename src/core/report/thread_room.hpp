#pragma once

namespace skde {

/// So many threads; 0: one a core that this process may run on.
int thread_count(int threads);

/// Error(resources) where the system does not let this process run so many threads at once (0: one
/// a core), of which OpenMP would make an end of the program. Cheap after the first time.
void require_threads(int threads);

}  // namespace skde
