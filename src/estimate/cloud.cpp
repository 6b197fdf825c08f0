#include "estimate/cloud.hpp"

#include <algorithm>
#include <utility>

#include "estimate/memory_plan.hpp"

namespace skde {

namespace {

std::shared_ptr<SampleCloud> new_cloud(const PointsView& points,
                                       std::shared_ptr<const void> owner) {
  auto cloud = std::make_shared<SampleCloud>();
  cloud->points = points;
  cloud->owner = std::move(owner);
  cloud->counts.rows = points.size();
  cloud->moments = compute_moments(points);
  return cloud;
}

}  // namespace

std::shared_ptr<const SampleCloud> make_cloud(const PointsView& points,
                                              std::shared_ptr<const void> owner) {
  return new_cloud(points, std::move(owner));
}

std::shared_ptr<const SampleCloud> make_cloud(CloudFiles files, io::LoadedCloud loaded) {
  const auto owner = std::make_shared<const PointCloud>(std::move(loaded.points));
  const std::shared_ptr<SampleCloud> cloud = new_cloud(owner->view(), owner);
  cloud->files = std::move(files);
  cloud->counts = loaded.counts;
  return cloud;
}

CloudReading read_cloud(const CloudFiles& files, double most_bytes, Progress& progress) {
  auto stream = std::make_unique<io::CloudStream>(files.paths, files.columns, files.non_finite);
  const double sample = host_sample_bytes(stream->weighted());
  const double promised = sample * static_cast<double>(stream->checked_rows());
  CloudReading reading;
  if (promised > most_bytes) {
    reading.beginning = CloudBeginning{{}, std::move(stream)};
    return reading;
  }
  // A vector of unknown length is copied as it grows, and takes twice its size then.
  const double taken = promised > 0 && stream->inputs_left() == 0 ? sample : 2 * sample;
  const double most = std::max(most_bytes / taken, 0.0);
  io::LoadedCloud loaded =
      io::load_cloud(*stream, static_cast<std::uint64_t>(std::min(most, 0x1p62)), progress);
  if (loaded.complete)
    reading.cloud = make_cloud(files, std::move(loaded));
  else
    reading.beginning = CloudBeginning{std::move(loaded.points), std::move(stream)};
  return reading;
}

CloudMoments read_moments(const CloudFiles& files, CloudBeginning beginning, int threads,
                          Progress& progress) {
  constexpr std::size_t kSamplesAPart = std::size_t{1} << 20;  // moments need no more at a time
  FileParts parts(files, kSamplesAPart, nullptr, progress);
  parts.begin_with(std::move(beginning));
  parts.rewind();
  progress.begin("moments", 0, "samples");
  CloudMoments result;
  while (const std::optional<SamplePart> part = parts.next()) {
    progress.throw_if_cancelled();
    result.moments.merge(compute_moments(part->points, threads));
    progress.update(result.moments.count());
  }
  result.counts = parts.counts();
  return result;
}

}  // namespace skde
