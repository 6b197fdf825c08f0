#include "estimate/sum/point_samples.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/plan/block_choice.hpp"
#include "estimate/plan/planned_parts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "system/stop_watch.hpp"

namespace skde {

void require_cloud(CloudSource& source, Progress& progress) {
  if (!source.cloud) {
    const double room = static_cast<double>(source.memory_limit() - kProgramBytes);
    std::optional<CloudBeginning> beginning = std::exchange(source.beginning, {});
    if (!beginning || beginning->first.size() > 0) beginning = begin_cloud(source.files);
    source.cloud = timed_stage(source.stages, "reading", [&] {
      return read_cloud(source.files, std::move(beginning->rest), std::max(room, 0.0), progress)
          .cloud;
    });
  }
  if (!source.cloud)
    throw Error(ErrorKind::resources, "the samples do not fit into memory",
                {"memory_limit", "raise `memory_limit`, or use fewer samples"});
}

double require_room(const CloudSource& source, const Offer& offer, const Problem& problem,
                    const CloudFacts& cloud) {
  const auto samples = static_cast<double>(cloud.samples);
  const double needed =
      offer.host.bytes(samples, samples, static_cast<double>(target_size(problem.target)));
  if (needed > static_cast<double>(source.memory_limit()))
    throw Error(ErrorKind::resources, fmt::format("sums at points need {}", format_bytes(needed)),
                {"memory_limit", "raise `memory_limit`, or use fewer points or samples"});
  return needed;
}

bool find_point_index(CloudSource& source, const DensityRequest& request, const PointWishes& wishes,
                      std::string& why_ignored) {
  source.index.reset();
  const bool needs_all = wishes.leave_one_out || (wishes.log && !request.kernel->is_bounded()) ||
                         request.has_pilot() || is_data_driven(request.bandwidth) ||
                         has_boundary(request.boundaries);
  if (source.cloud || !source.in_parts || source.options.keeps_samples || needs_all) return false;
  source.stamps = io::InputStamps(source.files.paths);  // before anything is read
  source.beginning = begin_cloud(source.files);
  return source.find_index(request.bandwidth, why_ignored);
}

std::optional<BlockChoice> rows_near(const CloudSource& source, std::span<const double> points,
                                     const Offer& offer) {
  if (!source.index || !offer.reach) return std::nullopt;
  const Box box = compute_moments({points}).bounds();
  BlockChoice choice = choose_blocks(*source.index, box, *offer.reach, 0);
  return choice.skipped_samples > 0 ? std::optional(std::move(choice)) : std::nullopt;
}

std::shared_ptr<const SampleCloud> read_near(CloudSource& source, const BlockChoice& rows,
                                             Progress& progress) {
  const double bytes = host_sample_bytes(false, false) * static_cast<double>(rows.read_samples());
  if (bytes > static_cast<double>(source.memory_limit() - kProgramBytes))
    throw Error(ErrorKind::resources, "the samples near the points do not fit into memory",
                {"memory_limit", "raise `memory_limit`, or use fewer points at a time"});
  auto cloud = std::make_shared<SampleCloud>();
  const std::shared_ptr<const Samples> samples = read_blocks(source, rows, progress);
  cloud->points = samples->view();
  cloud->owner = samples;
  return cloud;
}

}  // namespace skde
