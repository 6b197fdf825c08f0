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

}  // namespace skde::service
