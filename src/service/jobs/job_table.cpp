#include "service/jobs/job_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/store/data_folder.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

JobState state_named(std::string_view name) {
  const auto found = std::ranges::find(kJobStates, name, state_name);
  if (found != kJobStates.end()) return *found;
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

std::string exception_text(const Job& job) {
  return job.exception ? io::json_line(*job.exception) : std::string();
}

void insert_job(Database& database, const Job& job, const std::string& request) {
  database.run(
      "INSERT INTO jobs (id, process, request, owner, state, key, exception, attempts,"
      " cached, created, started, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      job.id, job.process, request, job.owner, state_name(job.state), job.key, exception_text(job),
      job.attempts, job.cached, job.created, job.started, job.finished);
}

void update_job(Database& database, const Job& job) {
  // Nothing reads the inputs of an ended job again, which may be a megabyte.
  const std::string outputs =
      job.ended() && job.request.process ? execution_text(job.request) : std::string();
  database.run(
      "UPDATE jobs SET state = ?, key = ?, exception = ?, attempts = ?, cached = ?,"
      " started = ?, finished = ?, request = CASE ? WHEN '' THEN request ELSE ? END WHERE id = ?",
      state_name(job.state), job.key, exception_text(job), job.attempts, job.cached, job.started,
      job.finished, outputs, outputs, job.id);
}

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kStates{"accepted", "running", "successful", "failed",
                                                  "dismissed"};

}  // namespace

void JobTable::load(Database& database) {
  Statement rows = database.prepare(
      "SELECT id, process, request, owner, state, key, exception, attempts, cached, created,"
      " started, finished FROM jobs ORDER BY created");
  while (rows.step()) {
    JobPtr job = job_of(rows);
    jobs_[job->id] = std::move(job);
  }
}

void JobTable::add(const JobPtr& job, StorageThread::Done added) {
  const std::string text = execution_text(job->request);
  Job row = *job;
  row.forget_inputs();
  storage_.post(
      [row = std::move(row), text](Database& database) { insert_job(database, row, text); },
      [this, job, added = std::move(added)](const std::exception_ptr& failure) {
        if (!failure) jobs_[job->id] = job;
        added(failure);
      });
}

void JobTable::remove(const JobPtr& job, StorageThread::Done done) {
  jobs_.erase(job->id);
  storage_.post(
      [id = job->id](Database& database) { database.run("DELETE FROM jobs WHERE id = ?", id); },
      std::move(done));
}

const JobPtr& JobTable::at(std::string_view id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) throw not_found("job", id);
  Job& job = *found->second;  // its place changes as other jobs come and end
  if (job.run && !job.ended()) job.position = position_of(queue_.waiting(), *job.run);
  return found->second;
}

namespace {

void tell_watchers(Job& job) {
  std::erase_if(job.watchers, [](const auto& watcher) { return watcher.expired(); });
  const auto watchers = job.watchers;
  for (const auto& watcher : watchers)
    if (const auto wake = watcher.lock()) (*wake)();
}

}  // namespace

void JobTable::change(const JobPtr& job, bool status) {
  job->position = job->run && !job->ended() ? position_of(queue_.waiting(), *job->run) : 0;
  job->updated = now_milliseconds();
  ++job->revision;
  if (status) job->status_revision = job->revision;
  tell_watchers(*job);
}

void JobTable::save(const Job& job) {
  if (!job.kept) return;
  storage_.post([row = job](Database& database) { update_job(database, row); });
}

void JobTable::fail(const JobPtr& job, const std::exception_ptr& thrown) {
  job->exception = Problem::of(thrown).json();
  end(job, JobState::failed);
}

void JobTable::end(const JobPtr& job, JobState state) {
  job->state = state;
  job->finished = now_milliseconds();
  job->forget_inputs();
  if (job->run) job->attempts = job->run->attempts;
  job->run = nullptr;
  job->position = 0;
  // The ID of the last event is kept as the time of the last change, and read again as that.
  job->revision = std::max(job->revision + 1, static_cast<std::uint64_t>(job->finished));
  job->status_revision = job->revision;
  job->updated = static_cast<std::int64_t>(job->revision);
  save(*job);
  tell_watchers(*job);
  try {
    if (const auto on_end = std::exchange(job->on_end, nullptr)) on_end(*job);
  } catch (const std::bad_alloc&) {  // its connection ends; the other jobs go on
  }
  if (job->kept) job->result = nullptr;  // it is on the disk
}

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

}  // namespace skde::service
