#include "bench/results/results.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/measure/statistics.hpp"

namespace skde::bench {
namespace {

using Json = nlohmann::ordered_json;

Json stage_json(const StageRecord& stage) {
  Json json{{"stage", stage.stage}, {"seconds", stage.seconds}};
  if (stage.bytes) json["bytes"] = *stage.bytes;
  if (stage.operations) json["operations"] = *stage.operations;
  if (!stage.ceiling.empty()) json["ceiling"] = stage.ceiling;
  return json;
}

Json result_json(const Result& r) {
  Json json{{"experiment", r.experiment},
            {"method", r.method},
            {"device", r.device},
            {"cloud", r.cloud},
            {"samples", r.samples},
            {"cells", r.cells},
            {"h", r.h},
            {"kernel", r.kernel},
            {"precision", r.precision},
            {"weighted", r.weighted},
            {"half_extents", r.half_extents},
            {"updates", r.updates},
            {"evaluated", r.evaluated},
            {"status", status_name(r.status)},
            {"reason", r.reason},
            {"automatic", r.automatic},
            {"warmups", r.warmups},
            {"inputs", r.inputs},
            {"seconds", r.seconds},
            {"stages", Json::array()},
            {"policy", r.policy}};
  for (const StageRecord& stage : r.stages) json["stages"].push_back(stage_json(stage));
  if (r.error) json["error"] = *r.error;
  return json;
}

Json machine_json(const MachineRecord& m) {
  return {{"cpu", m.cpu},         {"cores", m.cores},           {"memory", m.memory},
          {"gpu", m.gpu},         {"gpu_memory", m.gpu_memory}, {"driver", m.driver},
          {"cuda", m.cuda},       {"compiler", m.compiler},     {"flags", m.flags},
          {"version", m.version}, {"commit", m.commit}};
}

/// In quotation marks where a comma, a quotation mark or a line break would end the field.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_row(const Result& r) {
  std::string times = ",,,", all, stages;
  if (!r.seconds.empty()) {
    const Summary s = summarize(r.seconds);
    times = fmt::format("{},{},{},{}", s.minimum, s.lower_quartile, s.median, s.upper_quartile);
  }
  for (const double seconds : r.seconds)
    all += fmt::format("{}{}", all.empty() ? "" : ";", seconds);
  for (const StageRecord& stage : r.stages)
    stages += fmt::format("{}{}={}", stages.empty() ? "" : ";", stage.stage, stage.seconds);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     csv_field(r.experiment), csv_field(r.method), r.device, csv_field(r.cloud),
                     r.samples, r.cells, r.h, csv_field(r.kernel), r.precision, r.weighted ? 1 : 0,
                     r.half_extents[0], r.half_extents[1], r.half_extents[2], r.updates,
                     r.evaluated, status_name(r.status), csv_field(r.reason), times,
                     r.error ? fmt::format("{}", *r.error) : "", all, csv_field(stages), r.warmups,
                     r.inputs, csv_field(r.policy));
}

}  // namespace

std::string_view status_name(Status status) {
  switch (status) {
    case Status::inexact:
      return "inexact";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
    case Status::wrong:
      return "wrong";
    case Status::ok:
      break;
  }
  return "ok";
}

std::string results_json(const RunRecord& run) {
  Json json{{"format", "skde-bench 1"},   {"machine", machine_json(run.machine)},
            {"date", run.date},           {"command_line", run.command_line},
            {"cancelled", run.cancelled}, {"ceilings", Json::array()},
            {"overheads", Json::array()}, {"results", Json::array()}};
  for (const Ceiling& c : run.ceilings)
    json["ceilings"].push_back(
        {{"device", c.device}, {"name", c.name}, {"per_second", c.per_second}, {"unit", c.unit}});
  for (const Overhead& o : run.overheads)
    json["overheads"].push_back({{"method", o.method}, {"seconds", o.seconds}});
  for (const Result& result : run.results) json["results"].push_back(result_json(result));
  // A name that is no UTF-8 (of a file, in the command line) is shown with replacement marks.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const RunRecord& run) {
  std::string text =
      "experiment,method,device,cloud,samples,cells,h,kernel,precision,weighted,half_extent_x,"
      "half_extent_y,half_extent_z,updates,evaluated,status,reason,minimum_s,lower_quartile_s,"
      "median_s,upper_quartile_s,error,repetitions_s,stages_s,warmups,inputs,policy\n";
  for (const Result& result : run.results) text += csv_row(result);
  return text;
}

}  // namespace skde::bench
