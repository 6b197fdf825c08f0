#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace skde::service {

/// Returns the run to start next among the waiting runs that fit; the end if none fits. Tokens take
/// turns: the token with the lowest `last_turn(run)` is next; 0 means that it had no turn yet. Of
/// its runs, the one with the lowest expected time minus waiting time comes first. A small run can
/// overtake a large one only if it came at most the large run's expected time later; so large runs
/// get their turn too. Runs have `expected_seconds`, and `begun` in milliseconds, as `now`.
template <class Runs, class Fits, class LastTurn>
auto first_to_run(Runs& waiting, std::int64_t now, const Fits& fits, const LastTurn& last_turn) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto rank = [&](const auto& run) -> std::pair<std::uint64_t, double> {
    if (!fits(*run)) return {std::numeric_limits<std::uint64_t>::max(), kNever};
    return {last_turn(*run), run->expected_seconds - static_cast<double>(now - run->begun) * 1e-3};
  };
  const auto first = std::ranges::min_element(waiting, {}, rank);
  return first == waiting.end() || !fits(**first) ? waiting.end() : first;
}

}  // namespace skde::service
