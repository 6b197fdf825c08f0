#pragma once

#include "core/report/progress.hpp"

namespace skde::test {

/// The progress to pass where a test does not look at it.
inline NoProgress silent;

}  // namespace skde::test
