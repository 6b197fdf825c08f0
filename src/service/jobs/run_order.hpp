#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace skde::service {

/// The first of the runs that wait, of those that fit. Tokens take turns: it is one of the token
/// whose `last_turn(run)` was first, 0 where it had none. Of that token's it is the one that takes
/// least, less the time that it has waited for. Small runs so overtake large ones, but none that
/// came later than by the large one's own seconds: large ones come to their turn as well. Runs have
/// `expected_seconds` and `begun`, in milliseconds as `now`; the end where none fits.
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
