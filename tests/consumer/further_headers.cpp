#include <cmath>
#include <fstream>
#include <memory>
#include <skde/analysis/density_comparison.hpp>
#include <skde/analysis/density_sampler.hpp>
#include <skde/analysis/isosurface.hpp>
#include <skde/analysis/kernel_regression.hpp>
#include <skde/analysis/mass_levels.hpp>
#include <skde/analysis/volume_planes.hpp>
#include <skde/core/version.hpp>
#include <skde/estimate/read/cloud.hpp>
#include <skde/estimate/stream/followed_stream.hpp>
#include <skde/estimate/values/buffer_pool.hpp>
#include <skde/estimate/values/density_facts.hpp>
#include <skde/estimate/values/memory_plan.hpp>
#include <skde/estimate/values/slice_sink.hpp>
#include <skde/io/volumes/volume_formats.hpp>
#include <skde/mixture/mixture_fit.hpp>
#include <skde/order/file_sort.hpp>
#include <skde/order/organised_rows.hpp>
#include <skde/skde.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

skde::NoProgress silent;
int failures = 0;

void check(bool holds) { failures += holds ? 0 : 1; }

/// A density that is planned, written and read again.
skde::Volume read_density(skde::Session& session, const std::string& path) {
  const skde::DensityPlan plan = session.plan({.grid = {.dims = {{24, 24, 24}}}}, silent);
  plan.require_runnable();
  skde::Density density = session.compute(plan, silent);
  density.metadata.version = skde::kVersion;
  density.write(path, silent);
  skde::Volume volume = skde::io::read_volume(path).volume;
  check(std::abs(volume.maximum() / density.facts().peak - 1) < 1e-6);
  return volume;
}

void ask(const skde::Volume& volume) {
  const std::vector<double> half{0.5};
  const skde::MassLevel level = skde::mass_levels(volume, half).at(0);
  check(level.level > 0 && level.held >= 0.5);
  try {
    check(skde::isosurface(volume, level.level, silent).volume > 0);
  } catch (const skde::Error& error) {  // of a build without OpenVDB
    check(error.kind() == skde::ErrorKind::unsupported);
  }
  check(!skde::plane_slice(volume, 2, 1).values.empty());
  check(!skde::line_integrals(volume, 0).values.empty());
  check(std::abs(skde::compare_densities({volume, "a"}, {volume, "b"}, true).overlap - 1) < 1e-9);
  const skde::MixtureFit fit =
      skde::fit_mixture({.volume = &volume}, {.members = 2, .steps = 5}, silent);
  check(fit.facts.members == 2);
}

void sort_rows(const std::string& folder) {
  std::ofstream(folder + "/rows.csv") << "x,y,z\n3,0,0\n1,0,0\n2,0,0\n";
  const std::unique_ptr<skde::KeySorter> sorter = skde::cpu_key_sorter();
  const skde::FileSort job{
      .inputs = {folder + "/rows.csv"}, .output = folder + "/sorted.csv", .by = "x"};
  check(skde::sort_files(job, *sorter, silent).rows == 3);
  check(skde::filling_rows(std::vector<double>{1, 2, 3, 4}).size() == 4);
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  skde::Session session;
  session.open(std::vector<double>{0, 0, 0, 1, 2, 0, 2, 1, 1, 0, 1, 3});
  ask(read_density(session, folder + "/density.vti"));
  check(session.evaluate({}, skde::TargetPoints({1, 1, 1}), {}, silent).values.at(0) > 0);
  const std::vector<double> values{1, 2, 3, 4};
  check(skde::kernel_regression(session, {}, skde::TargetPoints({1, 1, 1}), values, 1, silent)
            .means.size() == 1);
  check(skde::DensitySampler(session.cloud(), {}, 1, silent).draw(0, 5).size() == 5);
  sort_rows(folder);
  return failures;
}
