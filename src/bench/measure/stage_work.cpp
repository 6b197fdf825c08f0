#include "bench/measure/stage_work.hpp"

#include <algorithm>
#include <optional>

namespace skde::bench {
namespace {

constexpr std::string_view kFma = "fma", kAtomics = "coalesced atomics";
constexpr double kFmaOfCell = 8, kFmaOfSpanCell = 3, kFmaOfTileRow = 45;

/// Counts of a case and sizes in bytes.
struct Counts {
  double samples, cells, slices, rows, updates, evaluated;
  double point;    ///< a sample as it is loaded
  double value;    ///< of the volume
  double located;  ///< a sample in cell units
};

struct Work {
  double bytes = 0;
  std::optional<double> operations;
  std::string_view ceiling;
};

Counts counts_of(const BenchmarkInput& input, Precision precision) {
  const bool single = precision == Precision::f32;
  return {static_cast<double>(input.wanted.samples),
          static_cast<double>(input.problem.grid.cells()),
          input.work.slices,
          input.work.rows,
          input.work.updates,
          input.work.evaluated,
          input.wanted.weighted ? 32.0 : 24.0,
          static_cast<double>(value_bytes(precision)),
          single ? 32.0 : 48.0};
}

/// Reading and writing the whole volume, as adding to it does.
double both_ways(const Counts& c) { return 2 * c.cells * c.value; }

std::optional<Work> cpu_work(std::string_view engine, std::string_view stage, const Counts& c) {
  if (stage == "sort") return Work{c.samples * (c.point + 2 * c.located), {}, {}};
  if (stage != "accumulate") return {};
  if (engine == "naive")
    return Work{c.samples * c.point + both_ways(c), kFmaOfCell * c.samples * c.cells, kFma};
  if (engine == "openmp")
    return Work{c.samples * c.point + both_ways(c), kFmaOfCell * c.evaluated, kFma};
  // A slice's thread reads the samples that reach it.
  return Work{c.slices * c.located + both_ways(c), kFmaOfSpanCell * c.updates, kFma};
}

std::optional<Work> chop_crop_work(std::string_view stage, const Counts& c) {
  constexpr double kCount = 4, kOffset = 8, kTask = 24;
  if (stage == "chop") return Work{c.samples * (c.located + kCount), {}, {}};
  if (stage == "scan") return Work{c.samples * (kCount + kOffset), {}, {}};
  if (stage == "crop") return Work{c.samples * (c.located + kOffset) + c.slices * kTask, {}, {}};
  if (stage != "accumulate") return {};
  return Work{c.slices * kTask + c.samples * c.located + both_ways(c), c.updates, kAtomics};
}

std::optional<Work> cuda_span_work(std::string_view stage, const Counts& c) {
  constexpr double kPair = 8, kSorted = 16, kPasses = 3;  // 8 bits of a key of 24 a pass
  if (stage == "sort")
    return Work{c.samples * (2 * c.point + (2 * kPasses + 2) * kPair + kSorted), {}, {}};
  if (stage != "accumulate") return {};
  return Work{c.samples * kSorted + c.cells * c.value, kFmaOfTileRow * c.rows, kFma};
}

std::optional<Work> work_of(const EngineTraits& engine, std::string_view stage, const Counts& c) {
  if (stage == kRestStage) return Work{c.cells * c.value, {}, {}};
  if (engine.device == Device::cpu) return cpu_work(engine.name, stage, c);
  if (stage == "locate") return Work{c.samples * (c.point + c.located), {}, {}};
  if (engine.name == "cuda-chop-crop") return chop_crop_work(stage, c);
  if (engine.name == "cuda-span") return cuda_span_work(stage, c);
  if (stage != "accumulate") return {};
  return Work{c.samples * c.located + both_ways(c), kFmaOfCell * c.samples * c.cells, kFma};
}

}  // namespace

std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const EngineTraits& engine, const BenchmarkInput& input,
                                       Precision precision) {
  const Counts counts = counts_of(input, precision);
  StageTimes all = stages;
  double named = 0;
  for (const StageTime& stage : stages) named += stage.seconds;
  all.push_back({std::string(kRestStage), std::max(0.0, seconds - named)});
  std::vector<StageRecord> records;
  for (const StageTime& stage : all) {
    StageRecord record{stage.stage, stage.seconds, {}, {}, ""};
    if (const std::optional<Work> work = work_of(engine, stage.stage, counts)) {
      record.bytes = work->bytes;
      record.operations = work->operations;
      record.ceiling = work->ceiling;
    }
    records.push_back(std::move(record));
  }
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
