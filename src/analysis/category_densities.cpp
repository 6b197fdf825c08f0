#include "analysis/category_densities.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/standard_error.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_setup.hpp"
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

/// A sink between an estimate and the sink of one category. It fills in facts about all samples
/// that the estimate cannot know, and scales values to the category's share.
class CategorySlices final : public SliceSink {
 public:
  CategorySlices(SliceSink& to, const CategoryDensities& all, CategoryFacts& category,
                 const CategorySpec& spec)
      : to_(to), all_(all), category_(category), spec_(spec) {}

  bool keeps_all() const override { return to_.keeps_all(); }
  std::int64_t held_bytes(const Grid& grid, Precision precision) const override {
    return to_.held_bytes(grid, precision) + (scales() ? grid.bytes(precision) : 0);
  }
  void expect(const Grid& grid, Precision precision) override {
    if (precision != all_.precision)
      throw Error(ErrorKind::input, "the values are beyond the range of float",
                  {"precision", "give coordinates in other units, or `precision=f64`"});
    to_.expect(grid, precision);
  }
  void begin(const DensityFacts& facts) override { to_.begin(completed(facts)); }
  void take(std::int64_t z, const Volume& slices, Progress& progress) override {
    if (!scales()) return to_.take(z, slices, progress);
    Volume scaled = slices;
    scaled.scale(category_.share);
    to_.take(z, scaled, progress);
  }
  void finish(const DensityFacts& facts, Progress& progress) override {
    category_.facts = completed(facts);
    to_.finish(category_.facts, progress);
  }

 private:
  bool scales() const { return spec_.mass == CategoryMass::share; }
  DensityFacts completed(DensityFacts facts) const {
    facts.columns = all_.columns;
    if (spec_.bandwidth == CategoryBandwidth::shared) facts.bandwidth = all_.bandwidth;
    if (scales()) facts.peak *= category_.share;
    return facts;
  }

  SliceSink& to_;
  const CategoryDensities& all_;
  CategoryFacts& category_;
  CategorySpec spec_;
};

void require_shares_make_sense(const DensityRequest& request, const CategorySpec& spec) {
  if (spec.standard_error) require_standard_error(request);
  if (spec.mass == CategoryMass::each) return;
  if (spec.standard_error)
    throw Error(ErrorKind::usage,
                "the share of a category has an error of its own, which its density has not",
                {"standard_error", "leave out `by_normalize=share`"});
  if (request.has_pilot() || is_linear(request.boundaries))
    throw Error(ErrorKind::usage,
                "each category is sharpened, adapted or corrected at faces by its own samples, so "
                "that shares do not sum to the density of all",
                {"by_normalize", "leave out `by_normalize=share`"});
  if (request.normalization == Normalization::density) return;
  throw Error(ErrorKind::usage,
              fmt::format("shares need densities over all space, not values normalised to '{}'",
                          word_of(kNormalizations, request.normalization)),
              {"by_normalize", "leave out `normalize`, or `by_normalize=share`"});
}

/// Returns the request for each category: on the grid of all samples and with their bandwidth, if
/// that is shared.
DensityRequest request_of_each(DensityRequest request, const CategoryDensities& all,
                               const CategorySpec& spec) {
  request.like = all.grid;
  request.grid = {};
  request.precision = all.precision;
  if (spec.bandwidth == CategoryBandwidth::shared) {
    request.bandwidth = {};
    request.bandwidth.bandwidth = all.bandwidth.H;
  }
  return request;
}

/// Returns why a category has no density; empty if it has one.
std::string why_left_out(const Category& category, const DensityRequest& request,
                         const GridAhead& ahead) {
  if (!category.cloud) return "none of its samples is left";
  const SampleCloud& cloud = *category.cloud;
  DensityRequest tried = request;
  if (is_data_driven(request.bandwidth)) tried.bandwidth.bandwidth = BandwidthRule::silverman;
  try {
    set_up_density(tried, cloud.moments, cloud.moments.bounds(), ahead, cloud.shapes);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) return error.problem();
    throw;
  }
  return {};
}

/// Merges similar warnings of categories into one, which names the first category.
class CategoryWarnings {
 public:
  void add(const std::string& category, Warning warning) {
    const auto alike = std::ranges::find(found_, warning.kind,
                                         [](const Found& found) { return found.warning.kind; });
    if (alike != found_.end()) {
      ++alike->others;
      return;
    }
    found_.push_back({category, std::move(warning), 0});
  }
  void append_to(std::vector<Warning>& warnings) const {
    for (const Found& found : found_) {
      Warning warning = found.warning;
      warning.problem = fmt::format(
          "category '{}'{}: {}", found.category,
          found.others > 0 ? fmt::format(" (and {} more)", found.others) : "", warning.problem);
      warnings.push_back(std::move(warning));
    }
  }

 private:
  struct Found {
    std::string category;
    Warning warning;
    std::size_t others;
  };
  std::vector<Found> found_;
};

/// Removes the categories that have no density.
void leave_out(CategorisedCloud& cloud, const DensityRequest& request, CategoryDensities& all) {
  const GridAhead ahead = grid_ahead(request);
  CategoryWarnings warnings;
  std::vector<Category> kept;
  kept.reserve(cloud.categories.size());
  for (Category& category : cloud.categories) {
    std::string why = why_left_out(category, request, ahead);
    if (why.empty()) {
      const double weight = category.cloud->moments.total_weight();
      all.categories.push_back({category.name, weight / all.moments.total_weight(), {}});
      kept.push_back(std::move(category));
      continue;
    }
    ErrorAdvice advice;
    if (category.cloud && !has_fixed_kernel(request))
      advice = {"by_bandwidth", "give all categories one bandwidth with `by_bandwidth=shared`"};
    warnings.add(category.name, {"left_out", fmt::format("left out: {}", why), advice});
    all.left_out.push_back({category.name, category.rows, std::move(why)});
  }
  warnings.append_to(all.warnings);
  cloud.categories = std::move(kept);
  if (all.categories.empty())
    throw Error(ErrorKind::input,
                fmt::format("no category has a density; the first one, '{}', has none because: {}",
                            all.left_out.front().name, all.left_out.front().why),
                {"by", "check `by` and `bounds`"});
}

/// Returns the data-driven bandwidth of all samples together, if the request asks for one. It needs
/// a copy, because the categories are stored separately.
std::optional<Bandwidth> data_driven_of_all(const CategorisedCloud& cloud,
                                            const DensityRequest& request, Progress& progress) {
  if (!is_scored(request.bandwidth) || cloud.shapes.has_shapes()) return std::nullopt;
  const auto room = static_cast<double>(available_memory());
  if (is_automatic(request.bandwidth))
    return data_driven_where_asked({}, cloud.moments, request.data_driven(),
                                   request.data_driven_effort(room), progress);
  const auto copy = static_cast<double>(cloud.bytes);
  if (copy > room)
    throw Error(
        ErrorKind::resources,
        "a common data-driven bandwidth needs the samples of all categories twice in memory",
        {"by_bandwidth", "choose one for each category with `by_bandwidth=own`"});
  Samples all;
  for (const Category& category : cloud.categories)
    if (category.cloud) append_samples(all, category.cloud->points);
  return data_driven_where_asked(all.view(), cloud.moments, request.data_driven(),
                                 request.data_driven_effort(room - copy), progress);
}

CategoryDensities set_up(const CategorisedCloud& cloud, const DensityRequest& request,
                         const CategorySpec& spec, Progress& progress) {
  CategoryDensities all;
  all.counts = cloud.counts;
  all.columns = cloud.columns;
  all.moments = cloud.moments;
  all.kernel = request.kernel;
  DensityRequest shared = request;
  std::optional<Bandwidth> chosen;
  if (spec.bandwidth == CategoryBandwidth::shared)
    chosen = data_driven_of_all(cloud, request, progress);
  else if (is_data_driven(request.bandwidth))  // each has its own; the grid follows from the rule
    shared.bandwidth.bandwidth = BandwidthRule::silverman;
  const DensitySetup setup = set_up_density(shared, cloud.moments, cloud.inner_bounds,
                                            grid_ahead(request), cloud.shapes, chosen);
  all.bandwidth = setup.bandwidth;
  all.grid = setup.grid;
  all.precision = request.precision;
  all.normalization = request.normalization;
  all.boundaries = request.boundaries;
  require_countable(all.grid);
  return all;
}

/// Calls `work` and adds the category's name to its errors.
template <class Work>
void naming_category(const std::string& name, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::output) throw;
    throw Error(error.kind(), fmt::format("category '{}': {}", name, error.problem()),
                error.advice());
  }
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

CategoryDensities stream_categories(CategorisedCloud cloud, const DensityRequest& request,
                                    const CategorySpec& spec, std::int64_t memory_limit,
                                    CategorySink& sink, Progress& progress) {
  require_shares_make_sense(request, spec);
  CategoryDensities all = set_up(cloud, request, spec, progress);
  const DensityRequest each = request_of_each(request, all, spec);
  leave_out(cloud, each, all);
  sink.expect(all);
  SessionOptions options;
  if (memory_limit > 0)
    options.memory_limit = std::max<std::int64_t>(1, memory_limit - cloud.bytes);
  Session session(options);
  CategoryWarnings warnings;
  std::uint64_t done = 0;
  progress.begin("densities of categories", all.moments.count(), "samples");
  for (std::size_t i = 0; i < cloud.categories.size(); ++i) {
    CategoryFacts& category = all.categories[i];
    const std::uint64_t samples = cloud.categories[i].cloud->points.size();
    naming_category(category.name, [&] {
      session.open(std::move(cloud.categories[i].cloud));
      CategorySlices slices(sink.sink_of(i), all, category, spec);
      SilentProgress silent(progress);
      if (spec.standard_error)
        stream_with_errors(session, session.plan(each, silent, {.sink = &slices, .runs = true}),
                           options.memory_limit, slices, silent);
      else
        session.stream(each, slices, silent);
    });
    for (const Warning& warning : category.facts.warnings) warnings.add(category.name, warning);
    progress.update(done += samples);
  }
  warnings.append_to(all.warnings);
  sink.finish(all, progress);
  return all;
}

}  // namespace skde
