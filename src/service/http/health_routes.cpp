#include <fmt/core.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>

#include "service/answer/http_message.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

const std::time_t kStarted = std::time(nullptr);

/// Adds one metric in the Prometheus text format.
void put(std::string& text, std::string_view name, std::string_view type, std::string_view help,
         double value) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} {2}\nskde_{0} {3}\n", name, help, type,
                      value);
}

/// Adds one line for each pair of the value of a label and a number.
void put_each(std::string& text, std::string_view name, std::string_view type,
              std::string_view help, std::string_view label, const auto& values) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} {2}\n", name, help, type);
  for (const auto& [which, value] : values)
    text += fmt::format("skde_{}{{{}=\"{}\"}} {}\n", name, label, which, value);
}

void put_jobs(std::string& text, ServiceState& state) {
  std::map<std::string_view, std::size_t> counts;
  for (const JobState each : kJobStates) counts[state_name(each)] = 0;
  for (const auto& [id, job] : state.jobs.table().all()) ++counts[state_name(job->state)];
  put_each(text, "jobs", "gauge", "Jobs in the table, by state", "state", counts);
}

/// Adds one line per worker.
void put_memory(std::string& text, const JobMetrics& jobs, std::string_view name,
                std::string_view help, std::uint64_t WorkerMemory::*bytes) {
  std::map<std::string_view, std::uint64_t> values;
  for (const auto& [role, memory] : jobs.memory)
    if (bytes == &WorkerMemory::samples || memory.device_total > 0) values[role] = memory.*bytes;
  put_each(text, name, "gauge", help, "worker", values);
}

/// Adds those of the process of the service, under the names that Prometheus gives them.
void put_process(std::string& text) {
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  std::error_code ignored;
  const auto files =
      std::distance(std::filesystem::directory_iterator("/proc/self/fd", ignored), {});
  const auto add = [&](std::string_view name, std::string_view type, double value) {
    text += fmt::format("# TYPE process_{0} {1}\nprocess_{0} {2}\n", name, type, value);
  };
  add("cpu_seconds_total", "counter", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  add("resident_memory_bytes", "gauge", pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  add("open_fds", "gauge", static_cast<double>(files));
  add("start_time_seconds", "gauge", static_cast<double>(kStarted));
}

std::string metrics_text(ServiceState& state) {
  std::string text;
  const JobMetrics& jobs = state.metrics;
  const Traffic& traffic = state.traffic;
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  put_jobs(text, state);
  put(text, "queue_length", "gauge", "Runs that are waiting",
      real(state.jobs.queue().waiting().size()));
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
  put_each(text, "stage_seconds_total", "counter", "Seconds of the stages of runs", "stage",
           jobs.stage_seconds);
  put(text, "http_requests_total", "counter", "Requests", real(traffic.requests));
  put_each(text, "http_answers_total", "counter", "Answers, by status", "status", traffic.answers);
  put(text, "access_log_lost_total", "counter", "Lines that the access log could not take",
      real(traffic.log.lost()));
  put(text, "http_bytes_in_total", "counter", "Bytes received", real(traffic.bytes_in));
  put(text, "http_bytes_out_total", "counter", "Bytes sent", real(traffic.bytes_out));
  put(text, "http_connections", "gauge", "Connections", real(traffic.connections));
  put(text, "http_refused_total", "counter", "Connections refused over the limit",
      real(traffic.refused));
  put(text, "event_watchers", "gauge", "Connections that watch a job", real(traffic.watchers));
  put(text, "clouds", "gauge", "Clouds", real(state.clouds.all().size()));
  put_process(text);
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
