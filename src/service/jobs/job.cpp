#include "service/jobs/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "io/text/json_object.hpp"
#include "service/answer/http_problem.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kStates{"accepted", "running", "successful", "failed",
                                                  "dismissed"};

JobState state_named(std::string_view name) {
  const auto found = std::ranges::find(kStates, name);
  if (found != kStates.end()) return static_cast<JobState>(found - kStates.begin());
  throw Problem(500, "unsupported", fmt::format("there is no state '{}'", name),
                {{}, "use the version that wrote the job"});
}

Json unreadable_job(const std::string& why) {
  return Problem(500, "unsupported", "this version cannot read the request of the job: " + why,
                 {{}, "send the request again"})
      .json();
}

/// Returns the requested form of the response, even if nothing else of the request can be read.
ResponseForm form_in(const std::string& request) {
  const Json json = io::json_if_valid(request);
  const bool document =
      json.is_object() && json.contains("response") && json["response"] == "document";
  return document ? ResponseForm::document : ResponseForm::raw;
}

/// Reads a row of the table. Every accepted job is reported, even if this version cannot read it.
JobPtr job_of(const Statement& row) {
  auto job = std::make_shared<Job>();
  job->id = row.text(0);
  job->process = row.text(1);
  job->owner = row.text(3);
  job->key = row.text(5);
  job->attempts = static_cast<int>(row.number(7));
  job->cached = row.number(8) != 0;
  job->created = row.number(9);
  job->started = row.number(10);
  job->finished = row.number(11);
  job->updated = std::max({job->created, job->started, job->finished});
  if (const std::string text = row.text(6); !text.empty()) {
    job->exception = io::json_if_valid(text);
    if (!job->exception->is_object())
      job->exception = unreadable_job("its problem is not valid JSON");
  }
  try {
    job->state = JobState::failed;
    job->state = state_named(row.text(4));
    const auto read = job->ended() ? read_answer_form : read_execution;
    job->request = read(process_named(job->process), parse_json(row.text(2)));
    job->request.bytes = row.text(2).size();
  } catch (const std::exception& error) {
    job->request = {};
    job->request.response = form_in(row.text(2));
    const bool says =
        job->exception || job->state == JobState::successful || job->state == JobState::dismissed;
    if (!says) job->exception = unreadable_job(error.what());
  }
  if (job->ended()) job->forget_inputs();
  job->revision = job->status_revision =
      static_cast<std::uint64_t>(job->ended() ? job->updated : now_milliseconds());
  return job;
}

}  // namespace

std::string_view state_name(JobState state) { return kStates.at(static_cast<std::size_t>(state)); }

Json Job::status() const {
  Json json{{"processID", process},
            {"type", "process"},
            {"jobID", id},
            {"status", state_name(state)},
            {"created", time_text(created)}};
  if (started > 0) json["started"] = time_text(started);
  if (finished > 0) json["finished"] = time_text(finished);
  json["updated"] = time_text(updated);
  json["progress"] = state == JobState::successful ? 100 : run ? run->percent : 0;
  json["message"] = exception ? exception->value("detail", "") : run ? run->stage : "";
  json["attempts"] = attempts;
  json["cacheHit"] = cached;
  json["queuePosition"] = position;
  if (run) {
    json["stage"] = run->stage;
    json["done"] = run->done;
    json["total"] = run->total;
    json["unit"] = run->unit;
    json["rate"] = run->rate;
    if (run->total > 0)
      json["share"] =
          std::min(1.0, static_cast<double>(run->done) / static_cast<double>(run->total));
    if (run->expected_seconds > 0) json["expectedSeconds"] = run->expected_seconds;
  }
  if (exception) json["exception"] = *exception;
  const std::string self = "/jobs/" + id;
  json["links"] = {{{"href", self}, {"rel", "self"}, {"type", "application/json"}},
                   {{"href", self + "/events"}, {"rel", "monitor"}, {"type", "text/event-stream"}}};
  if (state == JobState::successful)
    json["links"].push_back({{"href", self + "/results"},
                             {"rel", "http://www.opengis.net/def/rel/ogc/1.0/results"},
                             {"type", "application/json"}});
  if (state == JobState::failed)
    json["links"].push_back({{"href", self + "/results"},
                             {"rel", "http://www.opengis.net/def/rel/ogc/1.0/exceptions"},
                             {"type", "application/problem+json"}});
  return json;
}

void Job::forget_inputs() {
  std::string().swap(request.inputs);  // an assignment would keep the memory
  request.flags.clear();
  request.resources.clear();
}

std::shared_ptr<const std::string> Job::status_text() {
  if (!text_ || text_revision_ != revision) {
    text_ = std::make_shared<const std::string>(io::json_line(status()));
    text_revision_ = revision;
  }
  return text_;
}

void insert_job(Database& database, const Job& job, const std::string& request) {
  database
      .prepare(
          "INSERT INTO jobs (id, process, request, owner, state, key, exception, attempts,"
          " cached, created, started, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, job.id)
      .bind(2, job.process)
      .bind(3, request)
      .bind(4, job.owner)
      .bind(5, state_name(job.state))
      .bind(6, job.key)
      .bind(7, job.exception ? io::json_line(*job.exception) : std::string())
      .bind(8, std::int64_t{job.attempts})
      .bind(9, std::int64_t{job.cached ? 1 : 0})
      .bind(10, job.created)
      .bind(11, job.started)
      .bind(12, job.finished)
      .run();
}

void update_job(Database& database, const Job& job) {
  // Nothing reads the inputs of an ended job again, which may be a megabyte.
  const std::string outputs =
      job.ended() && job.request.process ? execution_text(job.request) : std::string();
  database
      .prepare(
          "UPDATE jobs SET state = ?, key = ?, exception = ?, attempts = ?, cached = ?,"
          " started = ?, finished = ?, request = CASE ? WHEN '' THEN request ELSE ? END WHERE id = "
          "?")
      .bind(1, state_name(job.state))
      .bind(2, job.key)
      .bind(3, job.exception ? io::json_line(*job.exception) : std::string())
      .bind(4, std::int64_t{job.attempts})
      .bind(5, std::int64_t{job.cached ? 1 : 0})
      .bind(6, job.started)
      .bind(7, job.finished)
      .bind(8, outputs)
      .bind(9, outputs)
      .bind(10, job.id)
      .run();
}

std::vector<JobPtr> read_jobs(Database& database) {
  std::vector<JobPtr> jobs;
  Statement rows = database.prepare(
      "SELECT id, process, request, owner, state, key, exception, attempts, cached, created,"
      " started, finished FROM jobs ORDER BY created");
  while (rows.step()) jobs.push_back(job_of(rows));
  return jobs;
}

}  // namespace skde::service
