#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/categorised_cloud.hpp"
#include "core/report/words.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/request.hpp"
#include "estimate/stream/slice_sink.hpp"

namespace skde {

/// Whose samples decide the bandwidth of a category.
enum class CategoryBandwidth { shared, own };
inline constexpr Words<CategoryBandwidth, 2> kCategoryBandwidths{
    {{"shared", CategoryBandwidth::shared}, {"own", CategoryBandwidth::own}}};

/// What the density of a category comes to: what the request says, or that times the category's
/// share of all weight, so that all of them together are the density of all samples.
enum class CategoryMass { each, share };
inline constexpr Words<CategoryMass, 2> kCategoryMasses{
    {{"each", CategoryMass::each}, {"share", CategoryMass::share}}};

struct CategorySpec {
  CategoryBandwidth bandwidth = CategoryBandwidth::shared;
  CategoryMass mass = CategoryMass::each;
};

/// A category that has no density, and why.
struct LeftOutCategory {
  std::string name;
  std::uint64_t rows = 0;
  std::string why;
};

struct CategoryFacts {
  std::string name;
  double share = 0;    ///< of all weight
  DensityFacts facts;  ///< once it is computed
};

/// The densities of all categories, on one grid.
struct CategoryDensities {
  io::CloudCounts counts;
  io::ReadColumns columns;
  Moments moments;      ///< of all samples
  Bandwidth bandwidth;  ///< of all samples; that of every category where it is shared
  KernelFunction kernel = KernelFunction::epanechnikov;
  Grid grid;
  Precision precision = Precision::f32;
  Normalization normalization = Normalization::density;
  Boundaries boundaries{};
  std::vector<CategoryFacts> categories;
  std::vector<LeftOutCategory> left_out;
  std::vector<Warning> warnings;  ///< those of categories too, alike ones as one
};

/// Where the densities of categories go.
class CategorySink {
 public:
  virtual ~CategorySink() = default;
  /// Before any sums: the categories, without their facts, and the grid. Whoever cannot take them
  /// throws now.
  virtual void expect(const CategoryDensities& densities) = 0;
  /// Where the density of a category goes; they come in order and each once.
  virtual SliceSink& sink_of(std::size_t category) = 0;
  /// After the last one.
  virtual void finish(const CategoryDensities& densities, Progress& progress) = 0;
};

/// One density a category, one after another and each as exact as a density of its samples alone:
/// the request's, with the grid of all samples and their bandwidth or its own. Memory holds the
/// samples, of which every category's are gone once it is done, and one volume. Categories without
/// samples, outside of the box, or whose own bandwidth cannot be found are left out. Throws what
/// Session::stream throws, in which the category is named; Error(input) where none is left;
/// Error(usage) for shares of values that are no densities over all space.
CategoryDensities stream_categories(CategorisedCloud cloud, const DensityRequest& request,
                                    const CategorySpec& spec, std::int64_t memory_limit,
                                    CategorySink& sink, Progress& progress);

}  // namespace skde
