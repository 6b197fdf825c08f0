#include "bench/fit/fit_speed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/report/error.hpp"
#include "engines/mixture_engine.hpp"
#include "mixture/member_control.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

MixtureProblem problem_of(const StepCase& wanted) {
  const std::int64_t n = wanted.cells;
  MixtureProblem problem;
  problem.frame = Grid{{0, 0, 0}, {1, 1, 1}, {n, n, n}};
  problem.target = problem.frame;
  problem.kernel = Symmetric3::diagonal(1, 1, 1);
  problem.tolerance = wanted.tolerance;
  return problem;
}

std::vector<Member> members_of(const StepCase& wanted) {
  std::mt19937_64 random(wanted.seed);
  const auto side = static_cast<double>(wanted.cells);
  const double own = std::sqrt(wanted.deviation * wanted.deviation - 1);  // besides the kernel's
  std::vector<Member> members(wanted.members);
  for (Member& member : members) {
    member.log_mass = -std::log(static_cast<double>(wanted.members));
    for (double& at : member.mean) at = side * (static_cast<double>(random() >> 11) * 0x1p-53);
    member.factor[0] = member.factor[2] = member.factor[5] = own;
  }
  sort_members(members);
  return members;
}

/// Takes turns: a whole step, and a step whose stages are timed one by one. loss() waits for the
/// device.
void fill_times(Result& result, MixtureEngine& engine, const StepCase& wanted, Progress& progress) {
  constexpr double kStill = 1e-12;  // so that the members stay where they are
  MixtureUpdate update;
  update.adam = {kStill, kStill, kStill};
  constexpr std::array kStages{"sum", "derive", "gather", "update"};
  std::array<StageRecord, kStages.size()> stages;
  for (std::size_t k = 0; k < kStages.size(); ++k) {
    stages[k].stage = kStages[k];
    stages[k].seconds = std::numeric_limits<double>::infinity();
  }
  for (int k = -1; k < wanted.repetitions; ++k)
    for (const bool staged : {false, true}) {
      progress.throw_if_cancelled();
      std::size_t stage = 0;
      const StopWatch whole;
      const auto timed = [&](const auto& work) {
        const StopWatch one;
        work();
        if (staged) (void)engine.loss();
        if (staged) stages[stage].seconds = std::min(stages[stage].seconds, one.seconds());
        ++stage;
      };
      timed([&] { engine.sum(progress); });
      timed([&] { engine.derive(CotangentRule::difference); });
      timed([&] { engine.gather(progress); });
      timed([&] { engine.update(update); });
      (void)engine.loss();
      if (!staged && k >= 0) result.seconds.push_back(whole.seconds());
    }
  result.stages.assign(stages.begin(), stages.end());
}

}  // namespace

Result measure_step(const StepCase& wanted, Device device, const EngineOptions& options,
                    Progress& progress) {
  Result result;
  result.experiment = "fit-speed";
  result.method = "step";
  result.device = device == Device::cuda ? "cuda" : "cpu";
  result.cloud = "members";
  result.cells = wanted.cells;
  result.members = static_cast<double>(wanted.members);
  result.precision = "f32";
  result.policy = fmt::format("deviation {:g} cells, cut at {:g} of the peak", wanted.deviation,
                              wanted.tolerance);
  result.warmups = 1;
  const MixtureProblem problem = problem_of(wanted);
  const double variance = wanted.deviation * wanted.deviation;
  const Offer offer = mixture_offer(problem, wanted.members,
                                    Symmetric3::diagonal(variance, variance, variance), device);
  if (!offer.serves()) {
    refuse(result, {Status::skipped, offer.refusal});
    return result;
  }
  try {
    const auto engine = make_mixture_engine(problem, device, options);
    engine->set_members(members_of(wanted));
    const std::vector<double> given(static_cast<std::size_t>(problem.frame.cells()),
                                    1 / static_cast<double>(problem.frame.cells()));
    engine->set_given(given);
    fill_times(result, *engine, wanted, progress);
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, {Status::failed, error.what()});
  }
  return result;
}

}  // namespace skde::bench
