#pragma once

#include <string_view>

namespace skde {

/// What a piece of work would take, as far as that is known before it begins; 0 where it is not.
struct WorkForecast {
  std::string_view engine{};  ///< that does most of it; empty: none is named yet
  double seconds = 0;         ///< by the offer of that engine
  double host_bytes = 0;      ///< of memory, beside the samples
  double result_bytes = 0;    ///< of the values that are written
  bool on_device = false;     ///< the engine is a GPU's
};

}  // namespace skde
