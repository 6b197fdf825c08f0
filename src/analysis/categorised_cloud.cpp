#include "analysis/categorised_cloud.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/cloud/thinned_samples.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/memory_plan.hpp"
#include "io/points/cloud_stream.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr std::size_t kRowsAtOnce = std::size_t{1} << 16;

/// Grows by a quarter: doubling would leave too much of the samples' memory empty.
void make_room(std::vector<double>& values, std::size_t more) {
  if (values.capacity() - values.size() >= more) return;
  values.reserve(values.size() + std::max({more, values.size() / 4, std::size_t{768}}));
}

void append_value(std::vector<double>& to, const std::vector<double>& from, std::size_t sample,
                  std::size_t width) {
  if (from.empty()) return;
  make_room(to, width);
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(sample * width),
            from.begin() + static_cast<std::ptrdiff_t>((sample + 1) * width));
}

std::int64_t bytes_of(const Samples& points) {
  return static_cast<std::int64_t>(
      sizeof(double) * (points.xyz.capacity() + points.weights.capacity() +
                        points.bandwidth_factors.capacity() + points.shapes.capacity()));
}

std::optional<double> number_in(const std::string& name) {
  double value = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, value);
  if (error != std::errc{} || stop != end || std::isnan(value)) return std::nullopt;
  return value;
}

bool comes_before(const Category& a, const Category& b) {
  const std::optional<double> of_a = number_in(a.name), of_b = number_in(b.name);
  if (of_a.has_value() != of_b.has_value()) return of_a.has_value();
  if (of_a && *of_a != *of_b) return *of_a < *of_b;
  return a.name < b.name;
}

void require_room(std::int64_t bytes, double room) {
  if (static_cast<double>(bytes) <= room) return;
  throw Error(ErrorKind::resources,
              fmt::format("the samples of all categories do not fit into {} of memory",
                          format_bytes(std::max(room, 0.0))),
              {"memory_limit", "raise `memory_limit`, or leave out `by`"});
}

/// Appends the samples of a chunk to those of their categories.
void append_samples_of(const Samples& chunk, std::vector<Samples>& categories) {
  const std::size_t shape = chunk.shapes.empty() ? 0 : 6;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    Samples& points = categories[chunk.categories[i]];
    append_value(points.xyz, chunk.xyz, i, 3);
    append_value(points.weights, chunk.weights, i, 1);
    append_value(points.bandwidth_factors, chunk.bandwidth_factors, i, 1);
    append_value(points.shapes, chunk.shapes, i, shape);
  }
}

/// Returns the samples of a category as a cloud of their own; null if there are none.
std::shared_ptr<const SampleCloud> cloud_of(Samples points) {
  if (points.size() == 0) return nullptr;
  io::LoadedCloud loaded;
  loaded.counts.rows = points.size();
  loaded.points = std::move(points);
  return make_cloud({}, std::move(loaded));
}

}  // namespace

CategorisedCloud read_categories(const CloudFiles& files, std::int64_t memory_limit,
                                 Progress& progress) {
  if (!files.columns.categorised())
    throw Error(ErrorKind::usage, "no column of categories is given", {"by", "name one with `by`"});
  const double room = static_cast<double>(memory_within(memory_limit) - kProgramBytes);
  io::CloudStream stream(files.paths, files.columns, files.non_finite, {.files = files.open});
  CategorisedCloud cloud;
  std::vector<Samples> samples;
  ThinnedSamples thinned;
  Samples chunk;
  while (stream.read(chunk, kRowsAtOnce, progress)) {
    thinned.add(chunk.view());
    samples.resize(stream.categories().size());
    append_samples_of(chunk, samples);
    cloud.bytes = 0;
    for (const Samples& points : samples) cloud.bytes += bytes_of(points);
    require_room(cloud.bytes, room);
  }
  samples.resize(stream.categories().size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    cloud.shapes.add(samples[i].view());
    cloud.categories.push_back({stream.categories().name(i), stream.categories().rows(i),
                                cloud_of(std::move(samples[i]))});
  }
  std::ranges::sort(cloud.categories, comes_before);
  for (const Category& category : cloud.categories)
    if (category.cloud) cloud.moments.merge(category.cloud->moments);
  cloud.inner_bounds = thinned.without_outliers(cloud.moments.bounds());
  thinned.keep_in(cloud.moments);
  cloud.counts = stream.counts();
  cloud.columns = stream.columns();
  return cloud;
}

}  // namespace skde
