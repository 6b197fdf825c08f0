#pragma once

#include "bench/results/results.hpp"

namespace skde::test {

/// Returns a run of the paper grid with made-up times: six methods on four N and four M. `naive` is
/// skipped where it would take long, `span` has automatic choices, and one result is wrong.
bench::RunRecord example_run();

}  // namespace skde::test
