#include "bench/measure/refusal.hpp"

#include <fmt/format.h>

#include <utility>

namespace skde::bench {

void refuse(Result& result, Refusal refusal) {
  result.status = refusal.status;
  result.reason = std::move(refusal.reason);
  result.seconds.clear();
  result.stages.clear();
}

Refusal too_long(double predicted_seconds, double max_seconds) {
  return {Status::skipped, fmt::format("would take about {:.3g} s, more than --max-seconds {:g}",
                                       predicted_seconds, max_seconds)};
}

Refusal took_too_long(double max_seconds) {
  return {Status::skipped, fmt::format("a run took longer than --max-seconds {:g}", max_seconds)};
}

}  // namespace skde::bench
