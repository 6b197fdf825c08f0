#include "viewer/work/live_answers.hpp"

#include <algorithm>
#include <variant>

#include "core/report/thread_room.hpp"

namespace skde::view {

void LivePoints::update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
                        const std::vector<OutlinedPlaces>& within) {
  if (!cloud || !look.needs_columns()) return ask(std::nullopt);
  ask(PointJob{cloud, look.colors == PointColors::column ? look.column : "", look.where, within,
               look.sizes == PointColors::column ? look.size_column : ""});
}

void LiveScore::update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request) {
  const auto& given = request.bandwidth.bandwidth;
  const bool has_h =
      std::holds_alternative<BandwidthRule>(given) || std::holds_alternative<double>(given);
  if (shown == ScoreShown::off || !cloud || !has_h) return ask(std::nullopt);
  ScoreJob job{cloud, request.bandwidth, request.kernel, request.options.threads, request.sharpen};
  job.bandwidth.bandwidth = shown == ScoreShown::lscv ? BandwidthRule::lscv : BandwidthRule::lcv;
  // Half of the cores, so that frames and densities go on.
  if (job.threads == 0) job.threads = std::max(1, thread_count(0) / 2);
  ask(std::move(job));
}

}  // namespace skde::view
