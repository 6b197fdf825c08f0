#include "bench/measure/stage_records.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace skde::bench {

std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const Engine& engine, const BenchmarkInput& input,
                                       Precision precision) {
  const Problem problem = input.problem(precision);
  const RunWork work{static_cast<double>(input.wanted.samples), input.wanted.weighted, input.work};
  const bool own_kernels = input.wanted.widths != CaseWidths::none;  // their work is not counted
  std::vector<StageRecord> records;
  double named = 0;
  for (const StageTime& stage : stages) {
    named += stage.seconds;
    StageRecord record{stage.stage, stage.seconds, {}, {}, ""};
    const auto model = own_kernels ? std::nullopt : engine.stage_work(stage.stage, problem, work);
    if (model) {
      record.bytes = model->bytes;
      record.operations = model->operations;
      record.ceiling = model->ceiling;
    }
    records.push_back(std::move(record));
  }
  const auto zeroed = static_cast<double>(problem.grid().bytes(precision));
  records.push_back({std::string(kRestStage), std::max(0.0, seconds - named), zeroed, {}, ""});
  return records;
}

}  // namespace skde::bench
