#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "analysis/category_densities.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace skde {
namespace {

using test::TemporaryFolder;

/// Samples of three categories, as rows of text and as sorted by the test.
struct SortedRows {
  std::string csv = "x,y,z,mass,kind\n";
  std::map<std::string, Samples> by_kind;
  Samples all;
};

SortedRows sorted_rows(bool weighted) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  SortedRows rows;
  const std::vector<std::string> kinds{"10", "9", "red cells"};
  for (int i = 0; i < 600; ++i) {
    const std::string& kind = kinds[static_cast<std::size_t>(i * i % 7 % 3)];
    Samples& points = rows.by_kind[kind];
    const double weight = weighted ? 0.5 + i % 4 : 1;
    char line[200];
    std::snprintf(line, sizeof line, "%.17g,%.17g,%.17g,%g,%s\n", normal(random),
                  2 * normal(random), kind == "9" ? 1 + normal(random) : normal(random), weight,
                  kind.c_str());
    rows.csv += line;
    double xyz[3];
    REQUIRE(std::sscanf(line, "%lf,%lf,%lf", xyz, xyz + 1, xyz + 2) == 3);
    for (Samples* to : {&points, &rows.all}) {
      to->xyz.insert(to->xyz.end(), xyz, xyz + 3);
      to->weights.push_back(weight);
    }
  }
  return rows;
}

/// Keeps every density.
class KeptDensities final : public CategorySink {
 public:
  void expect(const CategoryDensities& densities) override {
    for (const CategoryFacts& category : densities.categories) names.push_back(category.name);
  }
  SliceSink& sink_of(std::size_t category) override {
    slices_ = std::make_unique<Slices>(*this, category);
    return *slices_;
  }
  void finish(const CategoryDensities&, Progress&) override { ++finished; }

  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  int finished = 0;

 private:
  class Slices final : public SliceSink {
   public:
    Slices(KeptDensities& to, std::size_t category) : to_(to), category_(category) {}
    void begin(const DensityFacts&) override { to_.values.resize(category_ + 1); }
    void take(std::int64_t, const Volume& slices, Progress&) override {
      for (const double value : slices.values<double>()) to_.values[category_].push_back(value);
    }
    void finish(const DensityFacts&, Progress&) override {}

   private:
    KeptDensities& to_;
    std::size_t category_;
  };
  std::unique_ptr<Slices> slices_;
};

CloudFiles files_of(const std::string& path, bool weighted) {
  CloudFiles files;
  files.paths = {path};
  files.columns.category = "kind";
  if (weighted) files.columns.weight = "mass";
  return files;
}

DensityRequest request_for(KernelFunction kernel) {
  return {.kernel = kernel,
          .bandwidth = {.bandwidth = BandwidthRule::silverman},
          .grid = {.dims = {{14, 17, 12}}},
          .precision = Precision::f64};
}

}  // namespace

TEST_CASE("Every category has the density of its samples alone, with every kernel") {
  const TemporaryFolder folder;
  for (const bool weighted : {false, true}) {
    const SortedRows rows = sorted_rows(weighted);
    const CloudFiles files = files_of(folder.file("rows.csv", rows.csv), weighted);
    for (const KernelFunction kernel : kKernelFunctions) {
      if (kernel->name == "uniform") continue;  // it jumps, so rounding changes cells
      for (const CategoryBandwidth bandwidth : {CategoryBandwidth::shared, CategoryBandwidth::own})
        for (const CategoryMass mass : {CategoryMass::each, CategoryMass::share}) {
          INFO(kernel->name << " weighted " << weighted);
          KeptDensities kept;
          const CategoryDensities found =
              stream_categories(read_categories(files, 0, test::silent), request_for(kernel),
                                {bandwidth, mass}, 0, kept, test::silent);
          REQUIRE(kept.names == std::vector<std::string>{"9", "10", "red cells"});
          CHECK(kept.finished == 1);
          CHECK(found.left_out.empty());
          CHECK(found.moments.count() == 600);
          for (std::size_t i = 0; i < 3; ++i) {
            const Samples& points = rows.by_kind.at(kept.names[i]);
            const Moments own = compute_moments(points.view()),
                          all = compute_moments(rows.all.view());
            const bool is_own = bandwidth == CategoryBandwidth::own;
            const Symmetric3 H = select_bandwidth(is_own ? own : all, BandwidthSpec{}, kernel).H;
            const double share = own.total_weight() / all.total_weight();
            CHECK(found.categories[i].share == Approx(share));
            const test::Reference reference =
                test::make_reference(points.view(), H, found.grid, own.total_weight());
            CHECK(test::relative_distance(kept.values[i], reference.of(kernel),
                                          mass == CategoryMass::share ? share : 1) < 2e-6);
          }
        }
    }
  }
}

TEST_CASE("Shares of categories add up to the density of all samples") {
  const TemporaryFolder folder;
  const SortedRows rows = sorted_rows(true);
  KeptDensities kept;
  const KernelFunction kernel = KernelFunction::epanechnikov;
  const CategoryDensities found = stream_categories(
      read_categories(files_of(folder.file("rows.csv", rows.csv), true), 0, test::silent),
      request_for(kernel), {CategoryBandwidth::shared, CategoryMass::share}, 0, kept, test::silent);
  const test::Reference all = test::make_reference(rows.all.view(), found.bandwidth.H, found.grid,
                                                   found.moments.total_weight());
  std::vector<double> sum(kept.values[0].size());
  for (const std::vector<double>& values : kept.values)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  CHECK(test::relative_distance(sum, all.of(kernel)) < 1e-9);
}

TEST_CASE("Categories that can have no density are left out, and said") {
  const TemporaryFolder folder;
  SortedRows rows = sorted_rows(false);
  rows.csv += "nan,0,0,1,lost\n50,50,50,1,far\n0.1,0.1,0.1,1,one\n0,0,0,0,weightless\n";
  const CloudFiles files = files_of(folder.file("rows.csv", rows.csv), true);
  DensityRequest request = request_for(KernelFunction::epanechnikov);
  request.grid.bounds = Box{{-5, -9, -5}, {5, 9, 6}};
  const auto names_left_out = [&](CategoryBandwidth bandwidth) {
    KeptDensities kept;
    const CategoryDensities found =
        stream_categories(read_categories(files, 0, test::silent), request,
                          {bandwidth, CategoryMass::each}, 0, kept, test::silent);
    std::vector<std::string> names;
    for (const LeftOutCategory& category : found.left_out) {
      names.push_back(category.name);
      CHECK_FALSE(category.why.empty());
      CHECK(category.rows == 1);
    }
    CHECK(std::ranges::any_of(found.warnings,
                              [](const Warning& warning) { return warning.kind == "left_out"; }));
    CHECK(found.counts.non_finite == 1);
    CHECK(found.counts.zero_weight == 1);
    return names;
  };
  CHECK(names_left_out(CategoryBandwidth::shared) ==
        std::vector<std::string>{"far", "lost", "weightless"});
  CHECK(names_left_out(CategoryBandwidth::own) ==
        std::vector<std::string>{"far", "lost", "one", "weightless"});
  request.grid.bounds = Box{{100, 100, 100}, {101, 101, 101}};
  KeptDensities kept;
  CHECK(test::thrown_error([&] {
          stream_categories(read_categories(files, 0, test::silent), request, {}, 0, kept,
                            test::silent);
        }).kind() == ErrorKind::input);
  CHECK(kept.names.empty());
}

TEST_CASE("Columns of too many categories, and samples beyond the memory, are refused") {
  const TemporaryFolder folder;
  const SortedRows rows = sorted_rows(false);
  CloudFiles files = files_of(folder.file("rows.csv", rows.csv), false);
  files.columns.most_categories = 2;
  const Error many = test::thrown_error([&] { read_categories(files, 0, test::silent); });
  CHECK(many.kind() == ErrorKind::input);
  CHECK(many.parameter() == "by");
  CHECK(test::says(many, "has 3 categories in 600 rows, more than 2"));
  CHECK(test::says(many, "`max_categories`"));
  files.columns.most_categories = 3;
  CHECK(read_categories(files, 0, test::silent).categories.size() == 3);
  const Error room =
      test::thrown_error([&] { read_categories(files, kProgramBytes + 1, test::silent); });
  CHECK(room.kind() == ErrorKind::resources);
  CHECK(room.parameter() == "memory_limit");
  files.columns.category = "kinds";
  CHECK(test::thrown_error([&] { read_categories(files, 0, test::silent); }).parameter() == "by");
  files.columns.category = "";
  CHECK(test::thrown_error([&] { read_categories(files, 0, test::silent); }).parameter() == "by");
  files.columns.category = "kind";
  DensityRequest counts = request_for(KernelFunction::epanechnikov);
  counts.normalization = Normalization::count;
  KeptDensities kept;
  CHECK(test::thrown_error([&] {
          stream_categories(read_categories(files, 0, test::silent), counts,
                            {CategoryBandwidth::shared, CategoryMass::share}, 0, kept,
                            test::silent);
        }).parameter() == "by_normalize");
}

}  // namespace skde
