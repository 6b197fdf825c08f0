#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/request.hpp"
#include "estimate/values/slice_sink.hpp"
#include "io/points/columns/read_columns.hpp"

namespace skde {

struct SampleCloud;

/// The samples of one category.
struct Category {
  std::string name;
  std::uint64_t rows = 0;                    ///< rows read of it, some of which may be dropped
  std::shared_ptr<const SampleCloud> cloud;  ///< null if no sample is left
};

/// A cloud in memory, sorted by category: numbers by value, then texts alphabetically.
struct CategorisedCloud {
  std::vector<Category> categories;
  io::CloudCounts counts;
  io::ReadColumns columns;
  // Moments of all categories together.
  Moments moments;
  Box inner_bounds;  ///< without outliers
  ShapeSummary shapes;
  std::int64_t bytes = 0;  ///< memory that the samples take
};

/// Reads files with a category column in one pass. `memory_limit` is in bytes of host memory (0:
/// what is available). Throws what io::CloudStream throws, Error(usage) if there is no category
/// column, and Error(resources) if the samples do not fit into memory.
CategorisedCloud read_categories(const CloudFiles& files, std::int64_t memory_limit,
                                 Progress& progress);

/// The samples that decide the bandwidth of a category: all, or its own.
enum class CategoryBandwidth { shared, own };
inline constexpr Words<CategoryBandwidth, 2> kCategoryBandwidths{
    {{"shared", CategoryBandwidth::shared}, {"own", CategoryBandwidth::own}}};

/// The mass of a category's density: what the request says, or that times the category's share of
/// all weight. With `share`, all of them add up to the density of all samples.
enum class CategoryMass { each, share };
inline constexpr Words<CategoryMass, 2> kCategoryMasses{
    {{"each", CategoryMass::each}, {"share", CategoryMass::share}}};

struct CategorySpec {
  CategoryBandwidth bandwidth = CategoryBandwidth::shared;
  CategoryMass mass = CategoryMass::each;
  bool standard_error = false;  ///< also those of each density
};

/// A category without a density, and the reason.
struct LeftOutCategory {
  std::string name;
  std::uint64_t rows = 0;
  std::string why;
};

struct CategoryFacts {
  std::string name;
  double share = 0;    ///< share of all weight
  DensityFacts facts;  ///< set once the density is computed
};

/// The densities of all categories, on one grid.
struct CategoryDensities {
  io::CloudCounts counts;
  io::ReadColumns columns;
  Moments moments;      ///< of all samples
  Bandwidth bandwidth;  ///< of all samples; of every category too if it is shared
  KernelFunction kernel = KernelFunction::epanechnikov;
  Grid grid;
  Precision precision = Precision::f32;
  Normalization normalization = Normalization::density;
  Boundaries boundaries{};
  std::vector<CategoryFacts> categories;
  std::vector<LeftOutCategory> left_out;
  std::vector<Warning> warnings;  ///< includes those of categories, similar ones merged
};

/// The sink for the densities of categories.
class CategorySink {
 public:
  virtual ~CategorySink() = default;
  /// Called before any sums, with the grid and the categories, whose facts are not set yet. A sink
  /// that cannot take them throws now.
  virtual void expect(const CategoryDensities& densities) = 0;
  /// Returns the sink of a category's density. Called once per category, in order.
  virtual SliceSink& sink_of(std::size_t category) = 0;
  /// Called after the last category.
  virtual void finish(const CategoryDensities& densities, Progress& progress) = 0;
};

/// Computes one density per category, one after another, each as exact as a density of its samples
/// alone. It follows the request, on the grid of all samples, with their bandwidth or its own.
/// Memory holds one volume and the samples; those of a category are freed once it is done.
/// Categories without samples, outside the box, or whose own bandwidth cannot be found are left
/// out. Throws what Session::stream throws, with the category named; Error(input) if no category is
/// left; Error(usage) for shares of values that are not densities over all space.
CategoryDensities stream_categories(CategorisedCloud cloud, const DensityRequest& request,
                                    const CategorySpec& spec, std::int64_t memory_limit,
                                    CategorySink& sink, Progress& progress);

}  // namespace skde
