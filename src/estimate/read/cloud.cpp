#include "estimate/read/cloud.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/report/error.hpp"
#include "estimate/values/memory_plan.hpp"

namespace skde {

namespace {

/// Returns the index of the first invalid value; the number of values if there is none.
template <class IsGood>
std::size_t first_bad(std::span<const double> values, const IsGood& is_good) {
  const auto found = std::ranges::find_if_not(values, is_good);
  return static_cast<std::size_t>(found - values.begin());
}

/// Requires one valid value per sample, or no values at all.
template <class IsGood>
void require_values(std::span<const double> values, std::size_t samples, const char* parameter,
                    const char* demand, const IsGood& is_good) {
  if (values.empty()) return;
  if (values.size() != samples)
    throw Error(
        ErrorKind::usage,
        fmt::format("expected one value for each of {1} samples; got {0}", values.size(), samples),
        {parameter, {}});
  if (const std::size_t bad = first_bad(values, is_good); bad < values.size())
    throw Error(ErrorKind::input,
                fmt::format("{1} of sample {0} (from 0) must be {3}; got {2:g}", bad, parameter,
                            values[bad], demand),
                {parameter, {}});
}

void require_shapes(const SamplesView& points) {
  if (points.shapes.empty()) return;
  if (!points.bandwidth_factors.empty())
    throw Error(ErrorKind::usage,
                "the samples have both widths and shapes, and each of them sets the bandwidth",
                {"shapes", "leave out one of them"});
  if (points.shapes.size() != 6 * points.size())
    throw Error(
        ErrorKind::usage,
        fmt::format("expected 6 values (xx, xy, xz, yy, yz, zz) for each of {1} samples; got {0}",
                    points.shapes.size(), points.size()),
        {"shapes", {}});
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_covariance(points.shape(i)))
      throw Error(ErrorKind::input,
                  fmt::format("the shape of sample {} (from 0) is not a covariance matrix", i),
                  {"shapes", "give xx,xy,xz,yy,yz,zz of a positive definite matrix"});
}

/// Makes the checks that readers make for samples in files.
void require_samples(const SamplesView& points, bool signed_weights) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (points.xyz.size() % 3 != 0)
    throw Error(
        ErrorKind::usage,
        fmt::format("expected x, y and z of each sample; got {} numbers", points.xyz.size()),
        {"xyz", {}});
  if (const std::size_t bad = first_bad(points.xyz, is_finite); bad < points.xyz.size())
    throw Error(ErrorKind::input,
                fmt::format("sample {} (from 0) must have finite coordinates; got {} = {:g}",
                            bad / 3, kAxisNames[bad % 3], points.xyz[bad]),
                {"xyz", {}});
  require_values(
      points.weights, points.size(), "weights",
      signed_weights ? "finite" : "finite and at least 0 without `signed_weights`",
      [&](double weight) { return (signed_weights || weight >= 0) && std::isfinite(weight); });
  require_values(points.bandwidth_factors, points.size(), "widths", "finite and above 0",
                 [](double width) { return width > 0 && std::isfinite(width); });
  require_shapes(points);
}

std::shared_ptr<SampleCloud> new_cloud(const SamplesView& points,
                                       std::shared_ptr<const void> owner) {
  auto cloud = std::make_shared<SampleCloud>();
  cloud->points = points;
  cloud->owner = std::move(owner);
  cloud->counts.rows = points.size();
  cloud->moments = compute_moments(points);
  cloud->shapes.add(points);
  ThinnedSamples thinned;
  thinned.add(points);
  cloud->inner_bounds = thinned.without_outliers(cloud->moments.bounds());
  thinned.keep_in(cloud->moments);
  return cloud;
}

/// Scales the weights so that each group has the same total weight, and all have 1.
void equalise(Samples& points, const io::CategoryNames& groups, const CloudFiles& files) {
  points.weights.resize(points.size(), 1.0);
  std::vector<double> totals(groups.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    totals[points.categories[i]] += std::abs(points.weights[i]);
  for (std::size_t group = 0; group < totals.size(); ++group)
    if (!(totals[group] > 0))
      throw Error(ErrorKind::input,
                  fmt::format("{}: the group '{}' of {} has no weight", files.paths.front(),
                              groups.name(group), files.columns.equal_by),
                  {"equal_by", "leave out its rows with `where`"});
  for (std::size_t i = 0; i < points.size(); ++i)
    points.weights[i] /= totals[points.categories[i]] * static_cast<double>(groups.size());
  points.categories = {};
}

}  // namespace

std::shared_ptr<const SampleCloud> make_cloud(const SamplesView& points,
                                              std::shared_ptr<const void> owner,
                                              bool signed_weights) {
  require_samples(points, signed_weights);
  const std::shared_ptr<SampleCloud> cloud = new_cloud(points, std::move(owner));
  cloud->files.columns.signed_weights = signed_weights;
  return cloud;
}

std::shared_ptr<const SampleCloud> make_cloud(CloudFiles files, io::LoadedCloud loaded) {
  const auto owner = std::make_shared<const Samples>(std::move(loaded.points));
  const std::shared_ptr<SampleCloud> cloud = new_cloud(owner->view(), owner);
  cloud->files = std::move(files);
  cloud->files.open = {};  // the files are not read again
  cloud->counts = loaded.counts;
  cloud->columns = std::move(loaded.columns);
  return cloud;
}

void refuse_signed_weights(const io::ColumnSelection& columns, std::string_view what) {
  if (columns.signed_weights)
    throw Error(ErrorKind::usage,
                fmt::format("weights below 0 make a signed field, and {} a density", what),
                {"signed_weights", "leave out `signed_weights`"});
}

std::shared_ptr<const SampleCloud> cloud_within(const SampleCloud& whole,
                                                const std::vector<OutlinedPlaces>& within) {
  io::LoadedCloud loaded;
  for (std::size_t i = 0; i < whole.points.size(); ++i)
    if (lies_within(whole.points.point(i), within))
      append_samples(loaded.points, whole.points.slice(i, 1));
  if (loaded.points.size() == 0)
    throw Error(ErrorKind::usage, "no sample lies within the outline that was selected",
                {{}, "use another outline, or all samples again"});
  loaded.counts = whole.counts;
  loaded.columns = whole.columns;
  return make_cloud(whole.files, std::move(loaded));
}

CloudReading read_cloud(const CloudFiles& files, double most_bytes, Progress& progress) {
  return read_cloud(files, begin_cloud(files).rest, most_bytes, progress);
}

CloudReading read_cloud(const CloudFiles& files, std::unique_ptr<io::CloudStream> stream,
                        double most_bytes, Progress& progress) {
  const double sample = host_sample_bytes(stream->weighted(), stream->shaped());
  const double promised = sample * static_cast<double>(stream->checked_rows());
  CloudReading reading;
  if (promised > most_bytes) {
    reading.beginning = CloudBeginning{{}, std::move(stream)};
    return reading;
  }
  // A vector of unknown length is copied as it grows, and takes twice its size meanwhile.
  const double taken = promised > 0 && stream->inputs_left() == 0 ? sample : 2 * sample;
  const double most = std::max(most_bytes / taken, 0.0);
  io::LoadedCloud loaded =
      io::load_cloud(*stream, static_cast<std::uint64_t>(std::min(most, 0x1p62)), progress);
  if (loaded.complete && files.columns.category.empty() && !files.columns.equal_by.empty())
    equalise(loaded.points, stream->categories(), files);
  if (loaded.complete)
    reading.cloud = make_cloud(files, std::move(loaded));
  else
    reading.beginning = CloudBeginning{std::move(loaded.points), std::move(stream)};
  return reading;
}

CloudMoments read_moments(const CloudFiles& files, CloudBeginning beginning, Progress& progress) {
  // Moments need no larger parts. With several parts, threads that lag do not delay the others.
  constexpr std::size_t kSamplesAPart = std::size_t{1} << 19;
  constexpr int kPartsHeld = 4;
  const io::CloudStream& stream = *beginning.rest;
  const std::uint64_t rows = stream.inputs_left() == 0 ? stream.checked_rows() : 0;
  FileParts parts(files, kSamplesAPart, nullptr, progress, kPartsHeld);
  parts.begin_with(std::move(beginning));
  parts.rewind();
  progress.begin("moments", rows, "samples");
  CloudMoments result;
  ThinnedSamples thinned;
  while (const std::optional<SamplePart> part = parts.next()) {
    progress.throw_if_cancelled();
    thinned.add(part->points);
    result.shapes.add(part->points);
    progress.update(parts.pass().moments.count());
  }
  result.moments = parts.pass().moments;
  result.inner_bounds = thinned.without_outliers(result.moments.bounds());
  thinned.keep_in(result.moments);
  result.counts = parts.pass().counts;
  result.columns = parts.pass().columns;
  return result;
}

}  // namespace skde
