#pragma once

#include <string>

#include "bench/results/results.hpp"

namespace skde::bench {

/// Why a method gives no times.
struct Refusal {
  Status status;
  std::string reason;
};

/// Makes the result one without times.
void refuse(Result& result, Refusal refusal);

/// The refusal of what a run over all samples is predicted to take too long.
Refusal too_long(double predicted_seconds, double max_seconds);
/// The refusal of what took too long.
Refusal took_too_long(double max_seconds);

}  // namespace skde::bench
