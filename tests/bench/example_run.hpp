#pragma once

#include "bench/results/results.hpp"

namespace skde::test {

/// A run of the paper grid with made-up times: six methods on four N and four M, of which `naive`
/// is skipped where it would take long, `span` has automatic choices, and one result is wrong.
bench::RunRecord example_run();

}  // namespace skde::test
