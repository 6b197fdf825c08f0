#pragma once

#include "core/report/progress.hpp"

namespace skde::test {

/// The progress to pass if a test does not examine it.
inline NoProgress silent;

}  // namespace skde::test
