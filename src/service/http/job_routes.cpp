#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "io/text/date_time.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/request_parts.hpp"
#include "service/http/service_routes.hpp"

// Answers GET /jobs, with the filters of OGC API - Processes 1.0, clause 11.

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// The server-sent events of a job: of the changes not sent yet, only the latest.
class JobEvents final : public EventFeed {
 public:
  /// `last` is the ID of the last event that the client has received; 0: none.
  JobEvents(JobPtr job, std::uint64_t last)
      : job_(std::move(job)), sent_(last > job_->revision ? 0 : last) {}
  std::string next() override {
    if (sent_ >= job_->revision) return "";
    const bool status = sent_ < job_->status_revision;
    sent_ = job_->revision;
    return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", sent_, status ? "status" : "progress",
                       *job_->status_text());
  }
  bool ended() const override { return job_->ended() && sent_ >= job_->revision; }
  void on_news(std::function<void()> wake) override {
    wake_ = std::make_shared<std::function<void()>>(std::move(wake));
    job_->watchers.emplace_back(wake_);
  }

 private:
  JobPtr job_;
  std::uint64_t sent_;
  std::shared_ptr<std::function<void()>> wake_;
};

void send_events(const JobPtr& job, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  std::uint64_t last = 0;
  const std::string_view header = request.header("last-event-id");
  std::from_chars(header.data(), header.data() + header.size(), last);
  Response response;
  if (job->ended() && last == job->revision) {  // there will be no more events
    response.status = 204;
    return respond(std::move(response));
  }
  response.events = std::make_shared<JobEvents>(job, last);
  respond(std::move(response.with("Content-Type", "text/event-stream")
                        .with("Cache-Control", "no-store")
                        .with("X-Accel-Buffering", "no")));
}

void dismiss(ServiceState& state, const JobPtr& job, const Respond& respond) {
  state.jobs.dismiss(job, [job, respond](const std::exception_ptr& failure) {
    if (failure) return respond(Problem::of(failure).response());
    Json status = job->status();
    status["status"] = "dismissed";
    respond(json_response(status));
  });
}

using Json = nlohmann::ordered_json;

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min(),
                       kLatest = std::numeric_limits<std::int64_t>::max();

/// The first and the last millisecond, counted from 1970.
struct TimeSpan {
  std::int64_t first = kEarliest, last = kLatest;
};

/// Reads a date-time of RFC 3339, in which '+' may have become a blank. A time between two
/// milliseconds is an empty span.
std::optional<TimeSpan> read_time(std::string_view given) {
  std::string plus(given);
  std::ranges::replace(plus, ' ', '+');
  std::string_view text = plus;
  const std::optional<io::DateTime> time = io::take_date_time(text);
  if (!time || !time->is_whole || !text.empty()) return std::nullopt;
  constexpr std::int64_t kMillisecond = 1'000'000;
  const std::int64_t last = time->seconds * 1000 + time->nanoseconds / kMillisecond;
  const bool between = time->has_more || time->nanoseconds % kMillisecond != 0;
  return TimeSpan{last + (between ? 1 : 0), last};
}

/// Reads an instant, or an interval that may be open on one side.
TimeSpan read_datetime(std::string_view text) {
  const auto refuse = [] {
    refuse_query(
        "datetime", "'datetime' must be a time of RFC 3339, or an interval of two",
        "use the form 2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z/.. or two of them with a '/'");
  };
  const std::size_t slash = text.find('/');
  const std::string_view begin = text.substr(0, slash);
  const std::string_view end = slash == text.npos ? begin : text.substr(slash + 1);
  const auto is_open = [](std::string_view side) { return side.empty() || side == ".."; };
  TimeSpan span;
  if (is_open(begin) && is_open(end)) refuse();
  if (!is_open(begin)) {
    const auto time = read_time(begin);
    if (!time) refuse();
    span.first = time->first;
  }
  if (!is_open(end)) {
    const auto time = read_time(end);
    if (!time) refuse();
    span.last = time->last;
  }
  if (slash != text.npos && span.last < span.first) refuse();
  return span;
}

/// The filter that a client applies to the jobs of its token.
class JobFilter {
 public:
  explicit JobFilter(const Request& request)
      : processes_(query_list(request, "processID")), states_(query_list(request, "status")) {
    require_query_names(request, {"limit", "cursor", "type", "processID", "status", "datetime",
                                  "minDuration", "maxDuration"});
    for (const std::string& type : query_list(request, "type"))
      if (type != "process") refuse_query("type", "use 'process', the only type of jobs");
    for (const std::string& name : states_) require_state(name);
    if (request.query.contains("datetime")) span_ = read_datetime(query_text(request, "datetime"));
    if (request.query.contains("minDuration")) least_ = whole_query(request, "minDuration", 0);
    if (request.query.contains("maxDuration")) most_ = whole_query(request, "maxDuration", 0);
    if (request.query.contains("cursor")) take_cursor(query_text(request, "cursor"));
  }

  bool holds(const Job& job) const {
    const auto among = [](const std::vector<std::string>& all, std::string_view one) {
      return all.empty() || std::ranges::find(all, one) != all.end();
    };
    return among(processes_, job.process) && among(states_, state_name(job.state)) &&
           job.created >= span_.first && job.created <= span_.last && lasts_as_long(job) &&
           std::tie(job.created, job.id) < std::tie(behind_.first, behind_.second);
  }

 private:
  static void require_state(const std::string& name) {
    if (std::ranges::find(kJobStates, name, state_name) != kJobStates.end()) return;
    refuse_query("status", fmt::format("there is no status '{}'", name.substr(0, 64)),
                 "use accepted, running, successful, failed or dismissed");
  }

  /// Reads a cursor of next_link(); later jobs are listed before it.
  void take_cursor(std::string_view text) {
    const auto [end, problem] =
        std::from_chars(text.data(), text.data() + text.size(), behind_.first);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (problem != std::errc{} || length + 1 >= text.size() || text[length] != '.')
      refuse_query("cursor", "'cursor' must be taken from a link 'next'");
    behind_.second = text.substr(length + 1);
  }

  /// A job that has not started has no duration, and never matches a filter by duration.
  bool lasts_as_long(const Job& job) const {
    if (!least_ && !most_) return true;
    if (job.started == 0 || job.state == JobState::accepted) return false;
    const std::int64_t end = job.ended() ? job.finished : now_milliseconds();
    const double seconds = static_cast<double>(end - job.started) * 1e-3;
    return (!least_ || seconds >= static_cast<double>(*least_)) &&
           (!most_ || seconds <= static_cast<double>(*most_));
  }

  std::vector<std::string> processes_, states_;
  TimeSpan span_;
  std::optional<std::uint64_t> least_, most_;  ///< in seconds
  std::pair<std::int64_t, std::string> behind_{kLatest, ""};
};

/// Answers GET /jobs.
void list_jobs(ServiceState& state, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  const std::size_t limit = page_limit(request);
  const JobFilter filter(request);
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : state.jobs.table().all())
    if (job->owner == request.owner && filter.holds(*job)) jobs.push_back(job);
  std::ranges::sort(jobs, std::ranges::greater{},
                    [](const JobPtr& job) { return std::tie(job->created, job->id); });
  Json links = {{{"href", "/jobs"}, {"rel", "self"}, {"type", "application/json"}}};
  if (jobs.size() > limit) {
    jobs.resize(limit);
    const Job& last = *jobs.back();
    links.push_back(next_link(request, fmt::format("{}.{}", last.created, last.id)));
  }
  Json list = Json::array();
  for (const JobPtr& job : jobs) list.push_back(job->status());
  respond(json_response({{"jobs", list}, {"links", links}}));
}

}  // namespace

void answer_jobs(ServiceState& state, const Request& request, const Respond& respond) {
  if (request.path.size() == 1) return list_jobs(state, request, respond);
  const JobPtr job = state.jobs.table().at(request.segment(1));
  if (job->owner != request.owner) throw not_found("job", request.segment(1));
  const std::string_view part = request.segment(2);
  if (request.path.size() == 2) {
    require_method(request, "GET, HEAD, DELETE");
    if (request.method == "DELETE") return dismiss(state, job, respond);
    return respond(json_response(job->status()));
  }
  if (part == "events" && request.path.size() == 3) return send_events(job, request, respond);
  if (part != "results" || request.path.size() > 4) throw not_found("resource", request.target);
  require_method(request, "GET, HEAD");
  state.jobs.find_result(
      job, [request, job, respond](const ResultPtr& result, const std::exception_ptr& failure) {
        try {
          if (failure) std::rethrow_exception(failure);
          respond(request.path.size() == 4
                      ? output_response(request, *result, request.path[3])
                      : results_response(request, *job, *result, "/jobs/" + job->id));
        } catch (const Problem& problem) {
          respond(problem.response());
        }
      });
}

}  // namespace skde::service
