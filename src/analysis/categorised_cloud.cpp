#include "analysis/categorised_cloud.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/cloud/thinned_samples.hpp"
#include "core/report/error.hpp"
#include "estimate/plan/memory_plan.hpp"
#include "io/points/cloud_stream.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr std::size_t kRowsAtOnce = std::size_t{1} << 16;

/// Grows by a quarter: what twice as much would leave empty is most of what samples take.
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
  return static_cast<std::int64_t>(sizeof(double) *
                                   (points.xyz.capacity() + points.weights.capacity() +
                                    points.widths.capacity() + points.shapes.capacity()));
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

void require_room(const CategorisedCloud& cloud, double room) {
  if (static_cast<double>(cloud.bytes()) <= room) return;
  throw Error(ErrorKind::resources,
              fmt::format("the samples of all categories together do not fit into {} of memory",
                          format_bytes(std::max(room, 0.0))),
              {"memory_limit", "raise `memory_limit`, or leave out `by`"});
}

}  // namespace

std::int64_t CategorisedCloud::bytes() const {
  std::int64_t bytes = 0;
  for (const Category& category : categories) bytes += bytes_of(category.points);
  return bytes;
}

CategorisedCloud read_categories(const CloudFiles& files, std::int64_t memory_limit,
                                 Progress& progress) {
  if (!files.columns.categorised())
    throw Error(ErrorKind::usage, "no column of categories is named", {"by", "name one with `by`"});
  const double room =
      static_cast<double>((memory_limit > 0 ? memory_limit : available_memory()) - kProgramBytes);
  io::CloudStream stream(files.paths, files.columns, files.non_finite);
  CategorisedCloud cloud;
  ThinnedSamples thinned;
  Samples chunk;
  while (stream.read(chunk, kRowsAtOnce, progress)) {
    thinned.add(chunk.view());
    cloud.categories.resize(stream.categories().size());
    const std::size_t shape = chunk.shapes.empty() ? 0 : 6;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      Samples& points = cloud.categories[chunk.categories[i]].points;
      append_value(points.xyz, chunk.xyz, i, 3);
      append_value(points.weights, chunk.weights, i, 1);
      append_value(points.widths, chunk.widths, i, 1);
      append_value(points.shapes, chunk.shapes, i, shape);
    }
    require_room(cloud, room);
  }
  cloud.categories.resize(stream.categories().size());
  for (std::size_t i = 0; i < cloud.categories.size(); ++i) {
    Category& category = cloud.categories[i];
    category.name = stream.categories().name(i);
    category.rows = stream.categories().rows(i);
    category.moments = compute_moments(category.points.view());
    ThinnedSamples own;
    own.add(category.points.view());
    category.moments.keep_robust_covariance(own.robust_covariance());
    category.shapes.add(category.points.view());
    cloud.shapes.add(category.points.view());
  }
  std::ranges::sort(cloud.categories, comes_before);
  for (const Category& category : cloud.categories)
    if (category.points.size() > 0) cloud.moments.merge(category.moments);
  cloud.inner_bounds = thinned.without_outliers(cloud.moments.bounds());
  cloud.moments.keep_robust_covariance(thinned.robust_covariance());
  cloud.counts = stream.counts();
  cloud.columns = stream.columns();
  return cloud;
}

}  // namespace skde
