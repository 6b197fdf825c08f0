#include "service/jobs/admission.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/grid.hpp"
#include "service/http/http_problem.hpp"

namespace skde::service {
namespace {

/// Suggests how to make such a run smaller.
ErrorAdvice advice_of(const Process& process, bool of_time) {
  const auto& flags = process.flags;
  const bool has_engine = std::ranges::find(flags, "engine", &FieldText::name) != flags.end();
  return {process.lessened_by, fmt::format("use smaller `{}`{}", process.lessened_by,
                                           of_time && has_engine ? ", or another `engine`" : "")};
}

Problem too_large(double bytes, double most, const Process& process) {
  return {413, "resources",
          fmt::format("a result of {} exceeds the limit of {} on all results", format_bytes(bytes),
                      format_bytes(most)),
          advice_of(process, false)};
}

Problem without_disk(double bytes, double room, const Process& process) {
  return {507, "disk",
          fmt::format("a result of {} does not fit on the disk, which has {} free",
                      format_bytes(bytes), format_bytes(room)),
          advice_of(process, false)};
}

Problem too_long(double seconds, double most, const Process& process) {
  return {413, "resources",
          fmt::format("this would take about {:.3g} s, and the limit of a run is {:.3g} s", seconds,
                      most),
          advice_of(process, true)};
}

}  // namespace

bool predicts(const Process& process) { return !process.lessened_by.empty(); }

RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder) {
  if (forecast.refusal) return forecast;
  std::error_code unknown;
  const auto disk = std::filesystem::space(folder.path(), unknown);
  const double bytes = forecast.result_bytes, room = static_cast<double>(disk.available),
               most = static_cast<double>(limits.result_bytes);
  if (bytes > most)
    forecast.refusal = too_large(bytes, most, process).json();
  else if (!unknown && bytes > room)
    forecast.refusal = without_disk(bytes, room, process).json();
  else if (forecast.seconds > limits.run_seconds)
    forecast.refusal = too_long(forecast.seconds, limits.run_seconds, process).json();
  return forecast;
}

}  // namespace skde::service
