#include "core/report/stage_times.hpp"

namespace skde {

void add_stages(StageTimes& total, const StageTimes& more) {
  for (const StageTime& stage : more) {
    const auto same = std::ranges::find(total, stage.stage, &StageTime::stage);
    if (same == total.end())
      total.push_back(stage);
    else
      same->seconds += stage.seconds;
  }
}

}  // namespace skde
