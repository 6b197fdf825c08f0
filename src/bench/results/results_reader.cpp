#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "bench/results/results.hpp"
#include "core/error.hpp"

namespace skde::bench {
namespace {

using Json = nlohmann::json;

/// An object of the file whose fields are taken one by one; what is left over at the end is an
/// error, as is a field that is missing or of another type.
class Fields {
 public:
  /// `place` is where the object stands: "machine", "results[3]"; empty for the file itself.
  Fields(const Json& json, std::string file, std::string place)
      : json_(json), file_(std::move(file)), place_(std::move(place)) {
    if (!json.is_object()) fail(place_.empty() ? "the file" : place_, "is no object");
  }

  std::string text(const char* name) {
    const Json& value = field(name);
    if (!value.is_string()) fail(where(name), "is no text");
    return value.get<std::string>();
  }
  bool truth(const char* name) {
    const Json& value = field(name);
    if (!value.is_boolean()) fail(where(name), "is neither true nor false");
    return value.get<bool>();
  }
  /// A finite number of 0 or more.
  double number(const char* name) { return number_of(field(name), where(name)); }
  std::optional<double> optional_number(const char* name) {
    if (!json_.contains(name)) return {};
    return number(name);
  }
  std::string optional_text(const char* name) { return json_.contains(name) ? text(name) : ""; }
  template <class Whole>
  Whole whole(const char* name) {
    const Json& value = field(name);
    if (!value.is_number_unsigned() || !std::in_range<Whole>(value.get<std::uint64_t>()))
      fail(where(name), "is no whole number of 0 or more");
    return value.get<Whole>();
  }
  std::vector<double> numbers(const char* name) {
    std::vector<double> values;
    for (const Json& value : list(name)) values.push_back(number_of(value, where(name)));
    return values;
  }
  Fields object(const char* name) { return {field(name), file_, where(name)}; }
  /// An entry for each object of the list.
  template <class Read>
  auto objects(const char* name, Read read) {
    std::vector<decltype(read(std::declval<Fields&>()))> entries;
    const Json& all = list(name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Fields fields(all[i], file_, fmt::format("{}[{}]", where(name), i));
      entries.push_back(read(fields));
      fields.finish();
    }
    return entries;
  }
  /// After the last field.
  void finish() const {
    for (const auto& [name, value] : json_.items())
      if (!taken_.contains(name))
        fail(where(name.c_str()), "is unknown; is the file of another version of skde-bench?");
  }
  [[noreturn]] void fail(const std::string& what, std::string_view problem) const {
    throw Error(ErrorKind::input, fmt::format("{}: {} {}", file_, what, problem));
  }
  std::string where(const char* name) const {
    return place_.empty() ? std::string(name) : fmt::format("{}.{}", place_, name);
  }

 private:
  const Json& field(const char* name) {
    taken_.insert(name);
    const auto found = json_.find(name);
    if (found == json_.end())
      fail(where(name), "is missing; give a file that skde-bench wrote with --json");
    return *found;
  }
  const Json& list(const char* name) {
    const Json& value = field(name);
    if (!value.is_array()) fail(where(name), "is no list");
    return value;
  }
  double number_of(const Json& value, const std::string& what) const {
    if (!value.is_number()) fail(what, "is no number");
    const double number = value.get<double>();
    if (!std::isfinite(number) || number < 0) fail(what, "is no finite number of 0 or more");
    return number;
  }

  const Json& json_;
  std::string file_, place_;
  std::set<std::string> taken_;
};

Status status_of(Fields& fields) {
  const std::string name = fields.text("status");
  for (const Status status : kStatuses)
    if (status_name(status) == name) return status;
  fields.fail(fields.where("status"), "is none of ok, inexact, skipped, failed, wrong");
}

std::array<double, 3> half_extents_of(Fields& fields) {
  const std::vector<double> values = fields.numbers("half_extents");
  if (values.size() != 3) fields.fail(fields.where("half_extents"), "has not three numbers");
  return {values[0], values[1], values[2]};
}

StageRecord read_stage(Fields& fields) {
  return {fields.text("stage"), fields.number("seconds"), fields.optional_number("bytes"),
          fields.optional_number("operations"), fields.optional_text("ceiling")};
}

Result read_result(Fields& fields) {
  Result r;
  r.experiment = fields.text("experiment");
  r.method = fields.text("method");
  r.device = fields.text("device");
  r.cloud = fields.text("cloud");
  r.samples = fields.whole<std::uint64_t>("samples");
  r.cells = fields.whole<std::int64_t>("cells");
  r.h = fields.number("h");
  r.kernel = fields.text("kernel");
  r.precision = fields.text("precision");
  r.weighted = fields.truth("weighted");
  r.half_extents = half_extents_of(fields);
  r.updates = fields.number("updates");
  r.evaluated = fields.number("evaluated");
  r.status = status_of(fields);
  r.reason = fields.text("reason");
  r.automatic = fields.truth("automatic");
  r.warmups = fields.whole<int>("warmups");
  r.inputs = fields.whole<int>("inputs");
  r.seconds = fields.numbers("seconds");
  r.stages = fields.objects("stages", read_stage);
  r.policy = fields.text("policy");
  r.error = fields.optional_number("error");
  if (is_timed(r.status) == r.seconds.empty())
    fields.fail(fields.where("seconds"),
                fmt::format("{} although the status is {}",
                            r.seconds.empty() ? "is empty" : "has times", status_name(r.status)));
  if (r.status == Status::inexact && !r.error)
    fields.fail(fields.where("error"), "is missing although the status is inexact");
  return r;
}

MachineRecord read_machine(Fields fields) {
  MachineRecord m;
  m.cpu = fields.text("cpu");
  m.cores = fields.whole<int>("cores");
  m.memory = fields.number("memory");
  m.gpu = fields.text("gpu");
  m.gpu_memory = fields.number("gpu_memory");
  m.driver = fields.text("driver");
  m.cuda = fields.text("cuda");
  m.compiler = fields.text("compiler");
  m.flags = fields.text("flags");
  m.version = fields.text("version");
  m.commit = fields.text("commit");
  fields.finish();
  return m;
}

}  // namespace

RunRecord parse_results(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& problem) {
    throw Error(ErrorKind::input,
                fmt::format("{}: is no JSON (at byte {}); give a file that skde-bench wrote with "
                            "--json",
                            file, problem.byte));
  }
  Fields fields(json, file, "");
  if (fields.text("format") != "skde-bench 1")
    fields.fail("format", "is not 'skde-bench 1'; measure again with this skde-bench");
  RunRecord run;
  run.machine = read_machine(fields.object("machine"));
  run.date = fields.text("date");
  run.command_line = fields.text("command_line");
  run.cancelled = fields.truth("cancelled");
  run.ceilings = fields.objects("ceilings", [](Fields& f) {
    return Ceiling{f.text("device"), f.text("name"), f.number("per_second"), f.text("unit")};
  });
  run.overheads = fields.objects("overheads", [](Fields& f) {
    return Overhead{f.text("method"), f.number("seconds")};
  });
  run.results = fields.objects("results", read_result);
  fields.finish();
  return run;
}

RunRecord read_results(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: cannot be read; give a file that skde-bench wrote with --json", path));
  return parse_results(text, path);
}

}  // namespace skde::bench
