#pragma once

// Catch2 3 as Debian 13 has it, or 2.13 as Debian 12 has it, whose names here are those of 3.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;
#else
#include <catch2/catch.hpp>

namespace Catch {

#ifdef CATCH_CONFIG_RUNNER
using EventListenerBase = TestEventListenerBase;
#endif

inline auto getSeed() { return rngSeed(); }

namespace Matchers {

inline auto ContainsSubstring(const std::string& text) { return Contains(text); }

}  // namespace Matchers
}  // namespace Catch
#endif

namespace skde::test {

using Catch::Matchers::ContainsSubstring;

}  // namespace skde::test
