// The bandwidth that samples choose unless a rule is named, compared with sums over all pairs.

#include "bandwidth/automatic_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "bandwidth/pair_distances.hpp"
#include "core/cloud/covariance_estimates.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/points/row_index.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// Two balls of deviation 0.5, four apart along x, far from 0.
Samples two_balls(std::size_t count, bool weighted = false) {
  Random random(7);
  Samples cloud;
  add_normal(cloud, random, {1e5, -20, 3}, 0.5, count / 2);
  add_normal(cloud, random, {1e5 + 4, -20, 3}, 0.5, count - count / 2);
  for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.01, 10));
  return cloud;
}

Moments moments_with_some(const SamplesView& samples) {
  Moments moments = compute_moments(samples);
  ThinnedSamples thinned;
  thinned.add(samples);
  thinned.keep_in(moments);
  return moments;
}

DataDrivenBandwidth chosen(const Samples& cloud, CovarianceForm form = CovarianceForm::data,
                           KernelFunction kernel = KernelFunction::gaussian, bool sharpen = false) {
  BandwidthSpec spec{.form = form};
  return automatic_bandwidth(moments_with_some(cloud.view()), {spec, kernel, sharpen}, {}, silent);
}

double inverse_form(const Symmetric3& H, Vec3 d, double& determinant) {
  const double a = H.yy * H.zz - H.yz * H.yz, b = H.xz * H.yz - H.xy * H.zz,
               c = H.xy * H.yz - H.xz * H.yy;
  determinant = H.xx * a + H.xy * b + H.xz * c;
  const double yy = H.xx * H.zz - H.xz * H.xz, yz = H.xy * H.xz - H.xx * H.yz,
               zz = H.xx * H.yy - H.xy * H.xy;
  return (a * d.x * d.x + yy * d.y * d.y + zz * d.z * d.z +
          2 * (b * d.x * d.y + c * d.x * d.z + yz * d.y * d.z)) /
         determinant;
}

/// The normal density with covariance H at d.
double normal(const Symmetric3& H, Vec3 d) {
  double determinant = 0;
  const double q = inverse_form(H, d, determinant);
  return std::exp(-0.5 * q) / std::sqrt(std::pow(2 * M_PI, 3) * determinant);
}

/// Calls use(w_i w_j, d, i, j) for all pairs, i = j among them.
template <class Use>
void for_each_pair(const SamplesView& samples, const Use& use) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = 0; j < samples.size(); ++j)
      use(samples.weight(i) * samples.weight(j), samples.point(i) - samples.point(j), i, j);
}

double least_squares(const SamplesView& samples, const Symmetric3& H) {
  double total = 0, squared = 0, left_out = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) total += samples.weight(i);
  for_each_pair(samples, [&](double product, Vec3 d, std::size_t i, std::size_t j) {
    squared += product * normal(2.0 * H, d);
    if (i != j) left_out += product * normal(H, d) / (total - samples.weight(i));
  });
  return squared / (total * total) - 2 * left_out / total;
}

/// Smoothed cross-validation with the pilot G, without the pairs of a sample with itself.
double smoothed(const SamplesView& samples, const Symmetric3& H, const Symmetric3& G) {
  double total = 0, squares = 0, bias = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    total += samples.weight(i);
    squares += samples.weight(i) * samples.weight(i);
  }
  for_each_pair(samples, [&](double product, Vec3 d, std::size_t i, std::size_t j) {
    if (i != j) bias += product * (normal(2.0 * H + 2.0 * G, d) - 2 * normal(H + 2.0 * G, d));
  });
  return normal(2.0 * H, {}) * squares / (total * total) + bias / (total * total);
}

}  // namespace

TEST_CASE("scores from classes of distances are those of all pairs", "[automatic]") {
  for (const bool weighted : {false, true}) {
    const Samples cloud = two_balls(301, weighted);
    const Symmetric3 H{0.3, 0.1, -0.05, 0.2, 0.04, 0.5};
    const PairDistances pairs(cloud.view(), {}, H, 2, silent);
    for (const double t : {0.1, 0.3, 1.0, 2.5}) {
      const double expected = least_squares(cloud.view(), (t * t) * H);
      CHECK(pairs.least_squares(t) == Approx(expected).margin(1e-4 * normal((2 * t * t) * H, {})));
    }
    const PairDistances alone(cloud.view(), {}, H, 1, silent);
    CHECK(alone.least_squares(0.3) == pairs.least_squares(0.3));  // bits
  }
}

TEST_CASE("scores with faces are those of the density with images", "[automatic]") {
  // Uniform along x in [0, 1] with reflecting faces, normal along y, and periodic along z.
  Random random(3);
  Samples cloud;
  for (int i = 0; i < 150; ++i)
    cloud.xyz.insert(cloud.xyz.end(),
                     {random.uniform(0, 1), random.normal(), random.uniform(0, 1)});
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.3, 3));
  const Box box{{0, -9, 0}, {1, 9, 1}};
  const Boundaries boundaries{Boundary::reflect, Boundary::none, Boundary::periodic};
  const Symmetric3 H = Symmetric3::diagonal(0.01, 0.3, 0.008);
  const PairDistances pairs(cloud.view(), images_at_faces(cloud.view(), boundaries, box, {2, 2, 2}),
                            H, 2, silent);
  double total = 0;
  for (const double w : cloud.weights) total += w;
  const auto kernel = [&](double times, Vec3 p, Vec3 q, bool itself) {
    double sum = 0;
    for (int m = -2; m <= 2; ++m)
      for (int n = -3; n <= 3; ++n) {
        const Vec3 image{m % 2 == 0 ? q.x + m : m + 1 - q.x, q.y, q.z + n};
        if (itself || m != 0 || n != 0) sum += normal(times * H, p - image);
      }
    return sum;
  };
  double squared = 0, left_out = 0;
  for_each_pair(cloud.view(), [&](double product, Vec3, std::size_t i, std::size_t j) {
    const Vec3 p = cloud.view().point(i), q = cloud.view().point(j);
    squared += product * kernel(2, p, q, true);
    if (i != j) left_out += product * kernel(1, p, q, true) / (total - cloud.weights[i]);
  });
  const double expected = squared / (total * total) - 2 * left_out / total;
  CHECK(pairs.least_squares(1) == Approx(expected).margin(1e-4 * normal(2.0 * H, {})));
}

TEST_CASE("samples beyond faces do not choose the bandwidth", "[automatic]") {
  Samples both = two_balls(800);  // one on each side of the middle
  Samples one;
  for (std::size_t i = 0; i < both.size(); ++i)
    if (both.xyz[3 * i] < 1e5 + 2) append_samples(one, both.view().slice(i, 1));
  const Box box{{1e5 - 2, -22, 1}, {1e5 + 2, -18, 5}};
  BandwidthSpec spec{.covariance = Symmetric3::diagonal(0.25, 0.25, 0.25)};
  const Boundaries reflects{Boundary::reflect, Boundary::none, Boundary::none};
  const auto h = [&](const Samples& cloud, const Boundaries& boundaries) {
    return automatic_bandwidth(moments_with_some(cloud.view()),
                               {spec, KernelFunction::gaussian, false, boundaries, box}, {}, silent)
        .bandwidth.h;
  };
  CHECK(h(both, reflects) == Approx(h(one, reflects)).epsilon(1e-9));
  CHECK(h(both, {}) != Approx(h(one, {})).epsilon(1e-3));
}

TEST_CASE("random samples follow from the indices alone", "[automatic]") {
  Samples cloud;
  for (std::size_t i = 0; i < 200000; ++i)
    cloud.xyz.insert(cloud.xyz.end(), {static_cast<double>(i), 1, 2});
  RandomSamples whole, parts;
  whole.add(cloud.view());
  for (std::size_t begin = 0; begin < cloud.size(); begin += 777)
    parts.add(cloud.view().slice(begin, std::min<std::size_t>(777, cloud.size() - begin)));
  const Samples some = whole.chosen();
  CHECK(some.size() == RandomSamples::kMost);
  CHECK(some.xyz == parts.chosen().xyz);
  double mean = 0;
  std::array<int, 16> bits{};
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double index = some.view().point(i).x;
    CHECK((i == 0 || index > some.view().point(i - 1).x));
    mean += index / static_cast<double>(some.size());
    for (std::size_t b = 0; b < bits.size(); ++b)
      bits[b] += static_cast<int>(static_cast<std::uint64_t>(index) >> b & 1);
  }
  CHECK(mean == Approx(1e5).epsilon(0.02));
  for (const int bit : bits) CHECK(bit == Approx(RandomSamples::kMost / 2).epsilon(0.05));
  cloud.weights.assign(cloud.size(), 0.0);
  cloud.weights[5] = 2;
  RandomSamples one;
  one.add(cloud.view());
  CHECK(one.chosen().xyz == std::vector<double>{5, 1, 2});
  CHECK(one.chosen().weights == std::vector<double>{2});
}

TEST_CASE("an automatic bandwidth has the least score, or is that of another rule", "[automatic]") {
  const Samples cloud = two_balls(400);
  const DataDrivenBandwidth found = chosen(cloud);
  CHECK(found.bandwidth.source == "auto: lscv");
  CHECK(found.bandwidth.scored == 0);
  const double least = least_squares(cloud.view(), found.bandwidth.H);
  for (const double factor : {0.9, 1.1})
    CHECK(least_squares(cloud.view(), (factor * factor) * found.bandwidth.H) > least);
  const DataDrivenBandwidth bounded = chosen(cloud, CovarianceForm::data, {});
  CHECK(bounded.bandwidth.judge == "gaussian");
  CHECK(bounded.bandwidth.h / found.bandwidth.h == Approx(2.5719).epsilon(1e-3));
  CHECK(bounded.reference / found.reference == Approx(2.5719).epsilon(1e-3));

  CHECK(chosen(two_balls(29)).bandwidth.source == "auto: silverman");
  Samples tied = cloud;
  tied.xyz.insert(tied.xyz.end(), cloud.xyz.begin(), cloud.xyz.begin() + 30);
  CHECK(chosen(tied).bandwidth.source == "auto: plug-in");
  Samples rounded = cloud;
  for (double& x : rounded.xyz) x = std::round(50 * x) / 50;
  CHECK(chosen(rounded).bandwidth.source == "auto: plug-in");
  for (const Samples& near : {tied, rounded})  // a score would settle on pairs too near
    for (const KernelFunction kernel : {KernelFunction::gaussian, KernelFunction::epanechnikov}) {
      const Bandwidth sharp = chosen(near, CovarianceForm::data, kernel, true).bandwidth;
      CHECK(sharp.source == "auto: plug-in");
      CHECK(sharp.h == Approx(1.3 * chosen(near, CovarianceForm::data, kernel).bandwidth.h));
    }
  for (double& x : rounded.xyz) x = std::round(x);
  CHECK(chosen(rounded).bandwidth.source == "auto: silverman");
  const BandwidthSpec spec;
  const Moments alone = compute_moments(cloud.view());  // without samples
  CHECK(automatic_bandwidth(alone, {spec, {}}, {}, silent).bandwidth == [&] {
    Bandwidth silverman = select_bandwidth(alone, spec, {});
    silverman.silverman = silverman.h;
    return silverman;
  }());
}

TEST_CASE("the form of the matrix is that of the least score", "[automatic]") {
  const Samples balls = two_balls(600);
  const DataDrivenBandwidth best = chosen(balls, CovarianceForm::automatic);
  CHECK((best.bandwidth.form == "iso" || best.bandwidth.form == "within"));
  for (const CovarianceForm form : {CovarianceForm::data, CovarianceForm::diag, CovarianceForm::iso,
                                    CovarianceForm::robust, CovarianceForm::within})
    CHECK(best.best.score <= chosen(balls, form).best.score + 1e-12);
  const Bandwidth few = chosen(two_balls(20), CovarianceForm::automatic).bandwidth;
  CHECK((few.source == "silverman" || few.source == "auto: silverman"));
  CHECK(few.form == "data");
  BandwidthSpec given{.bandwidth = 0.5, .form = CovarianceForm::free};
  const Error error = thrown_error(
      [&] { select_bandwidth(moments_with_some(balls.view()), given, KernelFunction::gaussian); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.parameter() == "covariance");
}

TEST_CASE("a covariance within parts is that of each part about its mean", "[automatic]") {
  std::vector<Vec3> points;
  const Samples balls = two_balls(3000), one = gaussian_cloud(1);
  for (std::size_t i = 0; i < balls.size(); ++i) points.push_back(balls.view().point(i));
  const Symmetric3 within = within_covariance(points, {});
  for (const double variance : {within.xx, within.yy, within.zz})
    CHECK(variance == Approx(0.25).epsilon(0.1));
  CHECK(std::abs(within.xy) < 0.02);
  // The heavy ball alone counts if the other has less than 5 % of the weight.
  std::vector<double> weights(points.size(), 1.0);
  for (std::size_t i = points.size() / 2; i < points.size(); ++i) weights[i] = 0.04;
  CHECK(within_covariance(points, weights).xx == Approx(0.25).epsilon(0.1));
  CHECK(within_covariance(std::vector<Vec3>(100), {}) == Symmetric3{});
}

TEST_CASE("a free matrix has the least smoothed score", "[automatic]") {
  for (const bool weighted : {false, true}) {
    Samples cloud = two_balls(120, weighted);
    for (std::size_t i = 0; i < cloud.size(); ++i)  // tilted and thin
      cloud.xyz[3 * i + 2] = 0.2 * cloud.xyz[3 * i + 2] + 0.5 * cloud.xyz[3 * i + 1];
    const Symmetric3 start{0.2, 0, 0, 0.1, 0.05, 0.06}, G = (1.25 * 1.25) * start;
    const Symmetric3 found = smoothed_score_matrix(cloud.view(), start, 2, silent);
    const double least = smoothed(cloud.view(), found, G);
    CHECK(least < smoothed(cloud.view(), start, G));
    const auto apart = [&](double Symmetric3::*entry, double by) {
      Symmetric3 other = found;
      other.*entry += by;
      return smoothed(cloud.view(), other, G);
    };
    for (const auto entry : {&Symmetric3::xx, &Symmetric3::xy, &Symmetric3::xz, &Symmetric3::yy,
                             &Symmetric3::yz, &Symmetric3::zz}) {
      const double step = 0.02 * std::sqrt(found.xx * found.zz);
      CHECK(apart(entry, step) > least);
      CHECK(apart(entry, -step) > least);
    }
  }
}

TEST_CASE("a free matrix gives way to Silverman's where both score alike", "[automatic]") {
  const Symmetric3 narrow{0.05, 0.01, 0, 0.04, 0, 0.06}, wide{0.4, 0, 0.1, 0.3, 0, 0.5};
  Samples cloud = two_balls(120);
  const auto difference = [&](const Samples& samples) {
    return least_squares(samples.view(), wide) - least_squares(samples.view(), narrow);
  };
  std::vector<double> without;  // each sample: the jackknife (Efron and Stein 1981)
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Samples others = cloud;
    const auto at = others.xyz.begin() + static_cast<std::ptrdiff_t>(3 * i);
    others.xyz.erase(at, at + 3);
    without.push_back(difference(others));
  }
  const auto count = static_cast<double>(without.size());
  double mean = 0, squares = 0;
  for (const double one : without) mean += one / count;
  for (const double one : without) squares += (one - mean) * (one - mean);
  const double expected = difference(cloud) / std::sqrt(squares * (count - 1) / count);
  CHECK(score_excess(cloud.view(), wide, narrow, 2) == Approx(expected).epsilon(0.03));
  cloud.weights.assign(cloud.size(), 2.5);
  CHECK(score_excess(cloud.view(), wide, narrow, 1) == Approx(expected).epsilon(0.03));

  const DataDrivenBandwidth smooth = chosen(gaussian_cloud(700), CovarianceForm::free);
  CHECK(smooth.bandwidth.source == "auto: silverman");
  CHECK(smooth.bandwidth.form == "data");
  CHECK(smooth.reference == smooth.bandwidth.h);
  CHECK(chosen(two_balls(300), CovarianceForm::free).bandwidth.form == "free");
}

TEST_CASE("a cloud has one automatic bandwidth, in memory and in parts", "[automatic]") {
  const Samples cloud = gaussian_cloud(200000);
  const TemporaryFolder folder;
  const CloudFiles file = text_file(folder.path("cloud.txt"), cloud.view());
  const Moments parts = read_moments(file, begin_cloud(file), silent).moments;
  const auto memory = make_cloud(cloud.view(), nullptr);
  const auto by = [](const Moments& moments, int threads) {
    return automatic_bandwidth(moments, {{}, {}}, {.threads = threads}, silent).bandwidth;
  };
  const Bandwidth in_parts = by(parts, 2), in_memory = by(memory->moments, 1);
  CHECK(in_parts.h == Approx(in_memory.h).epsilon(1e-12));
  CHECK(in_parts.source == in_memory.source);
  CHECK(in_parts.scored == RandomSamples::kMost);
  CHECK(in_parts.silverman > in_parts.h);
}

TEST_CASE("an index keeps the samples that choose the bandwidth", "[automatic]") {
  for (const std::size_t rows : {1000, 30000}) {
    const Samples cloud = gaussian_cloud(rows);
    io::RowIndexBuilder builder;
    builder.add(cloud.xyz);
    const io::RowIndex index = builder.finish(24 * rows);
    const TemporaryFolder folder;
    const std::string path = folder.file("a.npy", "x");
    io::write_row_index(path, index);
    const auto read = io::read_row_index(path, {});
    REQUIRE(read);
    RandomSamples expected;
    expected.add(cloud.view());
    CHECK(index.moments.some()->xyz == expected.chosen().xyz);
    REQUIRE(read->moments.some());
    CHECK(read->moments.some()->xyz == expected.chosen().xyz);
  }
}
