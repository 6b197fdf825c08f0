#include "service/job.hpp"

#include <algorithm>

#include "service/data_folder.hpp"
#include "service/http_problem.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

JobState state_named(std::string_view name) {
  for (const JobState state : {JobState::accepted, JobState::running, JobState::successful,
                               JobState::failed, JobState::dismissed})
    if (state_name(state) == name) return state;
  return JobState::failed;
}

}  // namespace

std::string_view state_name(JobState state) {
  switch (state) {
    case JobState::accepted:
      return "accepted";
    case JobState::running:
      return "running";
    case JobState::successful:
      return "successful";
    case JobState::failed:
      return "failed";
    case JobState::dismissed:
      return "dismissed";
  }
  return "failed";
}

Json Job::status() const {
  Json json{{"processID", request.process->id},
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

std::shared_ptr<const std::string> Job::status_text() {
  if (!text_ || text_revision_ != revision) {
    text_ = std::make_shared<const std::string>(
        status().dump(-1, ' ', false, Json::error_handler_t::replace));
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
      .bind(2, job.request.process->id)
      .bind(3, request)
      .bind(4, job.owner)
      .bind(5, state_name(job.state))
      .bind(6, job.key)
      .bind(7, job.exception ? job.exception->dump() : std::string())
      .bind(8, std::int64_t{job.attempts})
      .bind(9, std::int64_t{job.cached ? 1 : 0})
      .bind(10, job.created)
      .bind(11, job.started)
      .bind(12, job.finished)
      .run();
}

void update_job(Database& database, const Job& job) {
  database
      .prepare(
          "UPDATE jobs SET state = ?, key = ?, exception = ?, attempts = ?, cached = ?,"
          " started = ?, finished = ? WHERE id = ?")
      .bind(1, state_name(job.state))
      .bind(2, job.key)
      .bind(3, job.exception ? job.exception->dump() : std::string())
      .bind(4, std::int64_t{job.attempts})
      .bind(5, std::int64_t{job.cached ? 1 : 0})
      .bind(6, job.started)
      .bind(7, job.finished)
      .bind(8, job.id)
      .run();
}

std::vector<JobPtr> read_jobs(Database& database) {
  std::vector<JobPtr> jobs;
  Statement rows = database.prepare(
      "SELECT id, process, request, owner, state, key, exception, attempts, cached, created,"
      " started, finished FROM jobs ORDER BY created");
  while (rows.step()) {
    auto job = std::make_shared<Job>();
    try {
      job->request = read_execution(process_named(rows.text(1)), parse_json(rows.text(2)));
    } catch (const Problem&) {  // of a version whose processes were others
      continue;
    }
    job->id = rows.text(0);
    job->owner = rows.text(3);
    job->state = state_named(rows.text(4));
    job->key = rows.text(5);
    if (const std::string exception = rows.text(6); !exception.empty())
      job->exception = Json::parse(exception);
    job->attempts = static_cast<int>(rows.number(7));
    job->cached = rows.number(8) != 0;
    job->created = rows.number(9);
    job->started = rows.number(10);
    job->finished = rows.number(11);
    job->updated = std::max({job->created, job->started, job->finished});
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace skde::service
