#include "estimate/sum/slab_sums.hpp"

#include <utility>

#include "engines/cpu/host_values.hpp"
#include "system/side_thread.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// The engine's progress on a part of the samples, shown as a share of the stage that sums all of
/// them. The engine's other stages are shown if this is the only part; otherwise they only keep the
/// bar alive.
class PartProgress final : public Progress {
 public:
  PartProgress(Progress& shown, std::uint64_t before, std::uint64_t part, std::uint64_t all)
      : shown_(shown), before_(before), part_(part), all_(all) {}

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void update(std::uint64_t done) override;
  bool cancelled() const override { return shown_.cancelled(); }

  /// Begins the stage whose shares the parts are.
  static void begin_sum(Progress& shown, std::uint64_t all) {
    shown.begin(kAccumulateStage, all, "samples");
  }

 private:
  bool is_whole() const { return part_ == all_; }

  Progress& shown_;
  std::uint64_t before_, part_, all_, total_ = 0;
  bool sums_ = true;
};

void PartProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  total_ = total;
  sums_ = stage == kAccumulateStage;
  if (!is_whole()) return;
  if (sums_)
    begin_sum(shown_, all_);
  else
    shown_.begin(stage, total, unit);
}

void PartProgress::update(std::uint64_t done) {
  if (total_ == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  if (sums_)
    shown_.update(before_ + static_cast<std::uint64_t>(share * static_cast<double>(part_)));
  else
    shown_.update(is_whole() ? done : before_);
}

/// Calls `add` on a thread that stays for the next density, and `count` on this one.
template <class Add, class Count>
auto add_beside(const Add& add, const Count& count) {
  static thread_local SideThread side;
  auto adding = side.run(add);
  try {
    count();
  } catch (...) {
    adding.wait();
    throw;
  }
  return adding.get();
}

}  // namespace

SlabSums::SlabSums(Engine& engine, SampleParts& parts, const Problem& problem, BufferPool& pool,
                   DensityFacts& facts, PassWishes wishes, Progress& progress)
    : engine_(engine),
      parts_(parts),
      problem_(problem),
      pool_(pool),
      facts_(facts),
      wishes_(wishes),
      progress_(progress),
      all_(static_cast<std::uint64_t>(facts.memory.samples * facts.memory.slabs) * parts.passes()) {
  PartProgress::begin_sum(progress_, all_);
}

std::unique_ptr<ValueBuffer> SlabSums::sum(std::int64_t z, std::int64_t slices) {
  std::unique_ptr<ValueBuffer> first = sum_pass(0, z, slices);
  if (parts_.passes() == 1) {
    wishes_ = {};
    return first;
  }
  Volume sum = first->take_volume();
  pool_.give_back(std::move(first));
  for (std::size_t pass = 1; pass < parts_.passes(); ++pass) {
    std::unique_ptr<ValueBuffer> values = sum_pass(pass, z, slices);
    sum.add(values->take_volume());
    pool_.give_back(std::move(values));
  }
  wishes_ = {};
  return std::make_unique<HostValues>(std::move(sum));
}

std::unique_ptr<ValueBuffer> SlabSums::sum_pass(std::size_t pass, std::int64_t z,
                                                std::int64_t slices) {
  Problem slab = problem_;
  const bool whole = slices == problem_.grid().dims[2];
  if (!whole) slab.target = slab_of(problem_.grid(), z, slices);
  parts_.choose_pass(pass);
  slab.kernel.H = parts_.matrix().value_or(slab.kernel.H);
  matrix_ = slab.kernel.H;
  parts_.rewind();  // starts reading while memory for the values is allocated
  const StopWatch beginning;
  std::unique_ptr<ValueBuffer> idle = pool_.take_idle(slab);
  if (!idle) ++facts_.buffers_made;
  const std::unique_ptr<Run> run = engine_.begin(slab, {std::move(idle)});
  add_stages(facts_.stages, {{"allocate", beginning.seconds()}});
  facts_.run_seconds += beginning.seconds();
  try {
    add_parts(*run);
    const StopWatch finishing;
    const StageTimes stages = run->finish(progress_);
    keep_engine_stages(stages, finishing.seconds());
  } catch (...) {
    pool_.give_back(run->take_values());
    throw;
  }
  wishes_ = {.probe = wishes_.probe};  // every slab sees the same samples
  facts_.launch_policy = run->launch_policy();
  return run->take_values();
}

void SlabSums::add_parts(Run& run) {
  while (true) {
    const StopWatch waiting;
    const std::optional<SamplePart> part = parts_.next();
    if (!parts_.is_one_part()) add_stages(facts_.stages, {{"wait for samples", waiting.seconds()}});
    if (!part) return;
    progress_.throw_if_cancelled();
    add_part(run, *part);
  }
}

void SlabSums::add_part(Run& run, const SamplePart& part) {
  PartProgress progress(progress_, done_, part.done, all_);
  const auto add = [&] {
    const StopWatch watch;
    StageTimes stages = run.add(*part.loaded, progress);
    return std::pair(std::move(stages), watch.seconds());
  };
  if (part.points.size() == 0) {
    count(part);
  } else {
    // A device sums while the CPU counts, as the two may take equally long.
    const bool beside = engine_.traits().device != Device::cpu && !part.found;
    if (!beside) count(part);
    const auto added = beside ? add_beside(add, [&] { count(part); }) : add();
    keep_engine_stages(added.first, added.second);
    if (wishes_.probe != nullptr) {
      const StopWatch probing;
      wishes_.probe->add(part.points, matrix_);
      add_stages(facts_.stages, {{"measure the error", probing.seconds()}});
    }
  }
  done_ += part.done;
  progress_.update(done_);
}

/// Adds the requested facts about the samples that come with a part.
void SlabSums::count(const SamplePart& part) {
  const SamplesView& points = part.counted;
  if (points.size() == 0) return;
  if (wishes_.moments)
    for (const PartStatistics::Block& block : part.blocks) facts_.moments.merge(block.moments);
  if (wishes_.look == nullptr) return;
  const PartFindings found =
      part.found ? *part.found : wishes_.look->look_at(points, wishes_.faces);
  if (part.found)
    facts_.work += found.work;
  else if (part.owner)
    facts_.work.add_later([problem = wishes_.look->problem(), points, owner = part.owner] {
      return PartStatistics::work_of(problem, points, 0);
    });
  else
    facts_.work += PartStatistics::work_of(wishes_.look->problem(), points, 0);
  facts_.thin += found.thin;
  facts_.in_box += found.in_box;
}

void SlabSums::keep_engine_stages(const StageTimes& stages, double seconds) {
  facts_.run_seconds += seconds;
  for (const StageTime& stage : stages) facts_.engine_seconds += stage.seconds;
  add_stages(facts_.stages, stages);
  add_stages(facts_.run_stages, stages);
}

}  // namespace skde
