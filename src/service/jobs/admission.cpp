#include "service/jobs/admission.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/space/grid.hpp"
#include "service/answer/http_problem.hpp"

namespace skde::service {
namespace {

/// Suggests how to make such a run smaller.
ErrorAdvice advice_of(const Process& process, bool of_time) {
  const auto& flags = process.flags;
  const bool has_engine = std::ranges::find(flags, "engine", &FieldText::name) != flags.end();
  if (process.costly_input.empty()) return {{}, "use smaller inputs"};
  return {process.costly_input, fmt::format("use smaller `{}`{}", process.costly_input,
                                            of_time && has_engine ? ", or another `engine`" : "")};
}

}  // namespace

bool predicts(const Process& process) { return !process.costly_input.empty(); }

RunForecast forecast_by_size(const Process& process, const nlohmann::ordered_json& order,
                             const DataFolder& folder) {
  constexpr double kLeast = 0.001;
  double bytes = 0;
  for (const auto& [name, path] : order["links"].items()) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(
        std::filesystem::path(folder.path()) / path.get<std::string>(), missing);
    if (!missing) bytes += static_cast<double>(size);
  }
  RunForecast forecast;
  forecast.seconds = kLeast + bytes / process.rate;
  return forecast;
}

RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder, std::uint64_t most_bytes) {
  if (forecast.refusal) return forecast;
  std::error_code unknown;
  const auto disk = std::filesystem::space(folder.path(), unknown);
  const double bytes = forecast.result_bytes, room = static_cast<double>(disk.available),
               most = static_cast<double>(most_bytes);
  const auto refuse = [&](unsigned status, const char* kind, const std::string& why, bool of_time) {
    forecast.refusal = Problem(status, kind, why, advice_of(process, of_time)).json();
  };
  if (bytes > most)
    refuse(413, "resources",
           fmt::format("a result of {} exceeds the limit of {} on all results of this token",
                       format_bytes(bytes), format_bytes(most)),
           false);
  else if (!unknown && bytes > room)
    refuse(507, "disk",
           fmt::format("a result of {} does not fit on the disk, which has {} free",
                       format_bytes(bytes), format_bytes(room)),
           false);
  else if (forecast.seconds > limits.run_seconds)
    refuse(413, "resources",
           fmt::format("this would take about {:.3g} s, and the limit of a run is {:.3g} s",
                       forecast.seconds, limits.run_seconds),
           true);
  return forecast;
}

}  // namespace skde::service
