#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace skde::service {

/// The first of the runs that wait, of those that fit: the one that takes least, less the time that
/// it has waited for. Small runs so overtake large ones, but none that came later than by the large
/// one's own seconds: large ones come to their turn as well. Runs have `expected_seconds` and
/// `begun`, in milliseconds as `now`; the end where none fits.
template <class Runs, class Fits>
auto first_to_run(Runs& waiting, std::int64_t now, const Fits& fits) {
  const auto rank = [&](const auto& run) {
    if (!fits(*run)) return std::numeric_limits<double>::infinity();
    return run->expected_seconds - static_cast<double>(now - run->begun) * 1e-3;
  };
  const auto first = std::ranges::min_element(waiting, {}, rank);
  return first == waiting.end() || !fits(**first) ? waiting.end() : first;
}

}  // namespace skde::service
