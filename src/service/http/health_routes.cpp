#include <fmt/core.h>

#include <array>

#include "service/http/http_problem.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

/// Adds one metric in the Prometheus text format.
void put(std::string& text, std::string_view name, std::string_view type, std::string_view help,
         double value) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} {2}\nskde_{0} {3}\n", name, help, type,
                      value);
}

void put_jobs(std::string& text, const ServiceState& state) {
  std::array<std::size_t, 5> counts{};
  for (const auto& [id, job] : state.jobs.all()) ++counts.at(static_cast<std::size_t>(job->state));
  text += "# HELP skde_jobs Jobs in the table, by state\n# TYPE skde_jobs gauge\n";
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += fmt::format("skde_jobs{{state=\"{}\"}} {}\n", state_name(static_cast<JobState>(i)),
                        counts[i]);
}

/// Adds one line per worker.
void put_memory(std::string& text, const JobMetrics& jobs, std::string_view name,
                std::string_view help, std::uint64_t WorkerMemory::*bytes) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} gauge\n", name, help);
  for (const auto& [role, memory] : jobs.memory)
    if (bytes == &WorkerMemory::samples || memory.device_total > 0)
      text += fmt::format("skde_{}{{worker=\"{}\"}} {}\n", name, role, memory.*bytes);
}

std::string metrics_text(ServiceState& state) {
  std::string text;
  const JobMetrics& jobs = state.metrics;
  const Traffic& traffic = state.traffic;
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  put_jobs(text, state);
  put(text, "queue_length", "gauge", "Runs that are waiting", real(state.jobs.queue().waiting()));
  put(text, "runs_running", "gauge", "Runs in progress", real(state.jobs.queue().running()));
  put(text, "runs_total", "counter", "Runs that workers have finished", real(jobs.runs));
  put(text, "run_seconds_total", "counter", "Seconds that workers have run", jobs.run_seconds);
  put(text, "cache_hits_total", "counter", "Results found in the cache", real(jobs.cache_hits));
  put(text, "cache_misses_total", "counter", "Results that had to be computed",
      real(jobs.cache_misses));
  put(text, "worker_crashes_total", "counter", "Workers that ended during a run",
      real(jobs.crashes));
  put_memory(text, jobs, "worker_sample_bytes", "Samples in the memory of a worker",
             &WorkerMemory::samples);
  put_memory(text, jobs, "device_memory_used_bytes", "Used memory of a worker's GPU",
             &WorkerMemory::device_used);
  put_memory(text, jobs, "device_memory_bytes", "Memory of a worker's GPU",
             &WorkerMemory::device_total);
  text +=
      "# HELP skde_stage_seconds_total Seconds of the stages of runs\n"
      "# TYPE skde_stage_seconds_total counter\n";
  for (const auto& [stage, seconds] : jobs.stage_seconds)
    text += fmt::format("skde_stage_seconds_total{{stage=\"{}\"}} {}\n", stage, seconds);
  put(text, "http_requests_total", "counter", "Requests", real(traffic.requests));
  put(text, "http_bytes_in_total", "counter", "Bytes received", real(traffic.bytes_in));
  put(text, "http_bytes_out_total", "counter", "Bytes sent", real(traffic.bytes_out));
  put(text, "http_connections", "gauge", "Connections", real(traffic.connections));
  put(text, "http_refused_total", "counter", "Connections refused over the limit",
      real(traffic.refused));
  put(text, "event_watchers", "gauge", "Connections that watch a job", real(traffic.watchers));
  put(text, "clouds", "gauge", "Clouds", real(state.clouds.all().size()));
  return text;
}

}  // namespace

void answer_health(ServiceState& state, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  if (request.segment(0) == "metrics" && request.path.size() == 1) {
    Response response;
    response.body = metrics_text(state);
    return respond(std::move(response.with("Content-Type", "text/plain; version=0.0.4")));
  }
  const std::string_view which = request.segment(1);
  if (request.path.size() != 2 || (which != "live" && which != "ready"))
    throw not_found("resource", request.target);
  const bool ready = which == "live" || (state.jobs.queue().ready() && !state.draining);
  if (!ready)
    throw Problem(503, "busy", "no worker is ready; try again later").with("Retry-After", "1");
  respond(json_response({{"status", "ok"}}));
}

}  // namespace skde::service
