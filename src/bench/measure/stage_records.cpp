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

CeilingShare ceiling_share(const StageRecord& stage, std::string_view device,
                           const std::vector<Ceiling>& ceilings) {
  CeilingShare best;
  if (!(stage.seconds > 0)) return best;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.device != device || !(ceiling.per_second > 0)) continue;
    std::optional<double> amount;
    if (ceiling.name == "copy") amount = stage.bytes;
    if (ceiling.name == stage.ceiling) amount = stage.operations;
    const double share = amount.value_or(0) / stage.seconds / ceiling.per_second;
    if (share > best.share) best = {ceiling.name, share};
  }
  return best;
}

}  // namespace skde::bench
