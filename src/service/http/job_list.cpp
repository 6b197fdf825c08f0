#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "service/answer/http_problem.hpp"
#include "service/http/list_query.hpp"
#include "service/http/service_routes.hpp"

// Answers GET /jobs, with the filters of OGC API - Processes 1.0, clause 11.

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min(),
                       kLatest = std::numeric_limits<std::int64_t>::max();

/// The first and the last millisecond, counted from 1970.
struct TimeSpan {
  std::int64_t first = kEarliest, last = kLatest;
};

/// Takes a number of `digits` digits, at most `most`, and the text `behind` after it. Returns false
/// if the text has another form.
bool take_digits(std::string_view& text, std::size_t digits, int most, std::string_view behind,
                 int& value) {
  if (text.size() < digits) return false;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, value);
  if (problem != std::errc{} || end != text.data() + digits || text[0] == '-' || value > most)
    return false;
  text.remove_prefix(digits);
  if (behind.empty()) return true;
  if (text.empty() || behind.find(text.front()) == behind.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes "Z" or "+01:00" as minutes. The '+' of a query may have become a blank.
bool take_zone(std::string_view text, int& minutes) {
  minutes = 0;
  if (text == "Z" || text == "z") return true;
  if (text.empty() || std::string_view("+- ").find(text.front()) == std::string_view::npos)
    return false;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  int hours = 0, rest = 0;
  if (!take_digits(text, 2, 23, ":", hours) || !take_digits(text, 2, 59, {}, rest)) return false;
  minutes = sign * (hours * 60 + rest);
  return text.empty();
}

/// Reads a date-time of RFC 3339. A time between two milliseconds is an empty span.
std::optional<TimeSpan> read_time(std::string_view text) {
  namespace chrono = std::chrono;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0;
  if (!take_digits(text, 4, 9999, "-", year) || !take_digits(text, 2, 12, "-", month) ||
      !take_digits(text, 2, 31, "Tt", day) || !take_digits(text, 2, 23, ":", hour) ||
      !take_digits(text, 2, 59, ":", minute) || !take_digits(text, 2, 60, {}, second))
    return std::nullopt;
  std::int64_t thousandths = 0;
  bool has_rest = false;
  if (text.starts_with('.')) {
    std::size_t digits = 0;
    for (text.remove_prefix(1); !text.empty() && text[0] >= '0' && text[0] <= '9'; ++digits) {
      if (digits < 3)
        thousandths = thousandths * 10 + (text[0] - '0');
      else
        has_rest = has_rest || text[0] != '0';
      text.remove_prefix(1);
    }
    if (digits == 0) return std::nullopt;
    for (; digits < 3; ++digits) thousandths *= 10;
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || !take_zone(text, zone)) return std::nullopt;
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute - zone) * 60 + second;
  const std::int64_t milliseconds = seconds * 1000 + thousandths;
  return TimeSpan{milliseconds + (has_rest ? 1 : 0), milliseconds};
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

}  // namespace

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

}  // namespace skde::service
