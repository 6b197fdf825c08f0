// Where h is good: the curve of scores, beside the frames, and h taken from it.

#include <algorithm>
#include <cmath>
#include <random>

#include "estimate/read/cloud.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/score_plot.hpp"

using namespace skde;
using namespace skde::view;
using namespace skde::test;

namespace {

const auto uncancelled = [] { return false; };

/// Returns random samples in two blobs, in world units that differ along the axes.
std::shared_ptr<const SampleCloud> two_blobs(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Samples samples;
  for (std::size_t i = 0; i < count; ++i)
    for (const double scale : {1.0, 3.0, 0.2})
      samples.xyz.push_back(scale * (normal(random) + (i % 2 == 0 ? 0 : 6)));
  const auto owner = std::make_shared<const Samples>(std::move(samples));
  return make_cloud(owner->view(), owner);
}

/// Returns the Gaussian of variance `times` H = h^2 S at a difference of two samples.
double gaussian_at(Vec3 d, const Symmetric3& S, double h, double times) {
  const Symmetric3 H = (times * h * h) * S;
  const double det = H.xx * (H.yy * H.zz - H.yz * H.yz) - H.xy * (H.xy * H.zz - H.yz * H.xz) +
                     H.xz * (H.xy * H.yz - H.yy * H.xz);
  const double xx = H.yy * H.zz - H.yz * H.yz, yy = H.xx * H.zz - H.xz * H.xz,
               zz = H.xx * H.yy - H.xy * H.xy, xy = H.xz * H.yz - H.xy * H.zz,
               xz = H.xy * H.yz - H.xz * H.yy, yz = H.xy * H.xz - H.xx * H.yz;
  const double q = (xx * d.x * d.x + yy * d.y * d.y + zz * d.z * d.z +
                    2 * (xy * d.x * d.y + xz * d.x * d.z + yz * d.y * d.z)) /
                   det;
  return std::exp(-q / 2) / std::sqrt(std::pow(2 * M_PI, 3) * det);
}

/// Returns the least-squares score of h from its definition, over all pairs.
double least_squares(const SampleCloud& cloud, double h) {
  const auto n = static_cast<double>(cloud.points.size());
  const Symmetric3 S = cloud.moments.covariance();
  double square = 0, others = 0;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    for (std::size_t j = 0; j < cloud.points.size(); ++j) {
      const Vec3 d = cloud.points.point(i) - cloud.points.point(j);
      square += gaussian_at(d, S, h, 2) / (n * n);
      if (i != j) others += gaussian_at(d, S, h, 1) / (n * (n - 1));
    }
  return square - 2 * others;
}

/// Returns the curve that a panel shows.
ScoreFacts typical_score() {
  ScoreFacts score;
  score.curve.emplace();
  for (int i = -8; i <= 2; ++i) {
    const double h = 0.3459 * std::exp2(i / 4.0), away = std::log(h / 0.2);
    score.curve->curve.push_back({h, away * away - 0.01});
  }
  score.curve->best = {0.2, -0.01};
  score.curve->silverman = 0.3459;
  score.curve->plug_in = 0.17;
  score.curve->judges = 50000;
  score.curve->samples = 1000000;
  return score;
}

ViewOptions cpu_options() {
  ViewOptions options;
  options.state.density.grid.dims = {16, 0, 0};
  options.state.density.device = Device::cpu;
  return options;
}

}  // namespace

TEST_CASE("the curve under the slider holds the scores of all pairs") {
  const auto cloud = two_blobs(150, 31);
  LiveScore score({});
  DensityRequest request;
  request.kernel = KernelFunction::gaussian;
  score.update(ScoreShown::lscv, cloud, request);
  score.wait(uncancelled);
  REQUIRE(score.facts().curve);
  const ScoreCurve curve = *score.facts().curve;
  REQUIRE(curve.curve.size() > 8);
  CHECK(std::ranges::is_sorted(curve.curve, {}, &ScoredBandwidth::h));
  double least = 1e300;
  for (const ScoredBandwidth& scored : curve.curve) {
    CHECK(scored.score == Approx(least_squares(*cloud, scored.h)).epsilon(1e-6));
    least = std::min(least, scored.score);
  }
  CHECK(curve.best.score == Approx(least).epsilon(1e-9));
  CHECK(curve.judges == 150);
  REQUIRE(curve.silverman);
  REQUIRE(curve.plug_in);
  CHECK(*curve.plug_in < *curve.silverman);  // two blobs are far from one normal density
}

TEST_CASE("a large cloud is scored by a stated number of samples") {
  const auto all = two_blobs(kMostJudges + 10000, 7);
  NoProgress progress;
  ScoreJob job{all, {}, KernelFunction::gaussian, 2};
  job.bandwidth.bandwidth = BandwidthRule::lscv;
  const ScoreCurve curve = score_curve(job, progress);
  CHECK(curve.judges == kMostJudges);
  CHECK(curve.samples == kMostJudges + 10000);
  CHECK(ui::score_text(curve, ScoreShown::lscv).find("50,000 of 60,000") != std::string::npos);
}

TEST_CASE("another cloud, or no score, cancels the curve") {
  LiveScore score({});
  DensityRequest request;
  score.update(ScoreShown::lscv, two_blobs(kMostJudges, 1), request);
  CHECK(score.facts().status.busy);
  const auto small = two_blobs(100, 2);
  score.update(ScoreShown::lcv, small, request);
  score.wait(uncancelled);
  CHECK(score.facts().curve->samples == 100);
  request.bandwidth.bandwidth = Vec3{1, 1, 1};
  score.update(ScoreShown::lcv, small, request);
  CHECK_FALSE(score.facts().curve);
  CHECK_FALSE(score.facts().status.busy);
}

TEST_CASE("an error of the score is kept for the panel") {
  Samples own_widths = gaussian_cloud(40);
  own_widths.bandwidth_factors.assign(40, 1.5);
  const auto owner = std::make_shared<const Samples>(std::move(own_widths));
  LiveScore score({});
  score.update(ScoreShown::lscv, make_cloud(owner->view(), owner), {});
  REQUIRE_THROWS_AS(score.wait(uncancelled), Error);
  CHECK(score.facts().problem);
  CHECK_FALSE(score.facts().curve);
}

TEST_CASE("a click on the curve takes its h, and a drag keeps box and axis") {
  PanelStage stage(kTall);
  stage.state.score = ScoreShown::lscv;
  stage.facts.score = typical_score();
  stage.frames(2);
  const PanelStage::Place place = stage.find("score", {"##curve"});
  const auto& curve = *stage.facts.score.curve;
  const double low = curve.curve.front().h, high = curve.curve.back().h;
  const auto h = [&] { return std::get<double>(stage.state.density.bandwidth.bandwidth); };
  stage.forget();
  stage.click(place.middle);
  CHECK(stage.actions.density_changed);
  CHECK(h() == Approx(std::sqrt(low * high)).epsilon(0.01));
  stage.move({place.middle.x + place.size.x / 4, place.middle.y});
  stage.press();
  CHECK(stage.actions.holds_frame);
  CHECK(h() == Approx(low * std::pow(high / low, 0.75)).epsilon(0.01));
  stage.move({place.middle.x + place.size.x, place.middle.y});
  CHECK(h() == Approx(high));
  stage.release();
  stage.forget();
  stage.frames(1);
  CHECK_FALSE(stage.actions.holds_frame);
}

TEST_CASE("box and axis stay while h is dragged, and follow once it is released") {
  const GlFixture context;
  const TemporaryFolder folder;
  ViewSession session(cpu_options());
  session.open_files(text_file(folder.path("a.xyz"), gaussian_cloud(200).view()).paths);
  session.wait(uncancelled);
  const Grid before = session.scene.density().grid();
  const ValueAxis axis = session.state.transfer.axis;
  session.hold_frame(true);
  session.state.density.bandwidth.bandwidth = 0.3;
  session.wait(uncancelled);
  CHECK(session.scene.density().metadata.h == 0.3);
  CHECK(session.scene.density().grid() == before);
  CHECK(session.state.transfer.axis == axis);
  CHECK_FALSE(session.is_behind());
  CHECK_FALSE(session.kept_state().density.like);
  session.hold_frame(false);
  session.wait(uncancelled);
  CHECK(session.scene.density().grid() != before);
  CHECK(session.state.transfer.axis.high == Approx(session.scene.view.volume.peak()));
  CHECK(session.state.transfer.axis.high > axis.high);
}

TEST_CASE("box and axis stay for good if the panel says so") {
  PanelStage stage(kTall);
  stage.state.density.bandwidth.bandwidth = 0.2;
  stage.frames(2);
  stage.click(stage.find("box and axis", {"stay when h changes"}).middle);
  REQUIRE(stage.state.density.grid.bounds);
  CHECK(*stage.state.density.grid.bounds == stage.facts.grid->bounds());
  CHECK_FALSE(stage.state.axis_follows_density);
  stage.click(stage.find("box and axis", {"stay when h changes"}).middle);
  CHECK_FALSE(stage.state.density.grid.bounds);
  CHECK(stage.state.axis_follows_density);
}
