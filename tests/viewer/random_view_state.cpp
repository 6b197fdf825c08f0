#include "viewer/random_view_state.hpp"

#include <cmath>
#include <limits>

namespace skde::test {
namespace {

using namespace skde::view;

class Choice {
 public:
  explicit Choice(std::mt19937& random) : random_(random) {}
  double real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool coin() { return whole(0, 1) == 1; }
  template <class Words>
  auto word(const Words& words) {
    return words[static_cast<std::size_t>(whole(0, std::ssize(words) - 1))].second;
  }
  /// Of any size.
  double positive() { return std::exp(real(-200, 200)); }
  Vec3 place() { return {real(-1e6, 1e6), real(-1, 1), real(-1e-6, 1e-6)}; }
  Vec3 lengths() { return {positive(), positive(), positive()}; }
  Symmetric3 matrix() {
    const double x = real(1, 2), y = real(1, 2), z = real(1, 2);
    return {x, real(-0.4, 0.4), real(-0.4, 0.4), y, real(-0.4, 0.4), z};
  }
  std::array<std::int64_t, 3> dims() { return {whole(1, 4000), whole(1, 4000), whole(1, 4000)}; }
  std::string text() {
    constexpr std::array<const char*, 5> kTexts{"a", "été \"x\"", "\\ /\n\t", "深さ", " "};
    return std::string(kTexts[static_cast<std::size_t>(whole(0, 4))]) +
           std::to_string(whole(0, 999));
  }

 private:
  std::mt19937& random_;
};

void choose_density(Choice& choose, ViewState& state) {
  state.density.kernel = kKernelFunctions[static_cast<std::size_t>(choose.whole(0, 3))];
  BandwidthSpec& spec = state.density.bandwidth;
  switch (choose.whole(0, 4)) {
    case 0:
      spec.bandwidth = BandwidthRule::scott;
      break;
    case 1:
      spec.bandwidth = choose.positive();
      break;
    case 2:
      spec.bandwidth = choose.lengths();
      break;
    case 3:
      spec.bandwidth = choose.matrix();
      break;
    default:
      break;
  }
  spec.form = choose.word(kCovarianceForms);
  if (choose.coin()) spec.covariance = choose.matrix();
  spec.regularize = choose.real(0, 2);
  if (choose.coin()) {
    const Vec3 lower = choose.place();
    state.density.grid.bounds = Box{lower, lower + Vec3{1, 2, 3}};
  }
  if (choose.coin()) state.density.grid.dims = choose.dims();
  if (choose.coin()) state.density.grid.dims = {choose.whole(1, 4000), 0, 0};
  if (choose.coin()) state.density.grid.spacing = choose.lengths();
  if (choose.coin()) state.density.like = Grid{choose.place(), choose.lengths(), choose.dims()};
  state.density.normalization = choose.word(kNormalizations);
  state.density.engine = choose.text();
  if (choose.coin()) state.density.device = choose.coin() ? Device::cpu : Device::cuda;
  EngineOptions& options = state.density.options;
  state.density.precision = choose.coin() ? Precision::f32 : Precision::f64;
  options.threads = static_cast<int>(choose.whole(0, 4096));
  options.device = static_cast<int>(choose.whole(0, 7));
  options.device_memory = choose.whole(0, std::numeric_limits<std::int64_t>::max());
}

void choose_look(Choice& choose, ViewState& state) {
  state.axis_follows_density = choose.coin();
  state.mode = choose.word(kRenderModes);
  state.gradient_shading = choose.coin();
  state.isovalue = choose.real(0, 1);
  state.quality = choose.real(0.1, 4);
  state.layout = choose.word(kViewLayouts);
  const Vec3 focus = choose.place();
  state.camera.azimuth = choose.real(-720, 720);
  state.camera.elevation = choose.real(-90, 90);
  state.camera.zoom = choose.real(0.01, 100);
  state.camera.focus = {focus.x, focus.y, focus.z};
  state.show_points = choose.coin();
  state.show_slices = choose.coin();
  state.show_full_slices = choose.coin();
  state.sample = choose.whole(0, std::numeric_limits<std::int64_t>::max());
  state.slice = choose.whole(-1, 4000);
}

}  // namespace

TransferFunction random_transfer_function(std::mt19937& random) {
  Choice choose(random);
  TransferFunction function;
  apply_preset(function, transfer_presets()[static_cast<std::size_t>(choose.whole(
                                                0, std::ssize(transfer_presets()) - 1))]
                             .name);
  for (int i = 0; i < 5; ++i) function.add({choose.real(0, 1), choose.real(0, 1)});
  function.colors = choose.word(kColorMaps);
  function.opacity_scale = choose.real(0, 10);
  const double low = choose.positive();
  function.axis = {low, low * choose.real(1.1, 1e6), choose.coin()};
  return function;
}

ViewState random_view_state(std::mt19937& random) {
  Choice choose(random);
  ViewState state;
  state.cloud.paths = {choose.text(), choose.text()};
  if (choose.coin()) state.cloud.columns.coordinates = {choose.text(), "2", "3"};
  state.cloud.columns.weight = choose.text();
  state.cloud.non_finite = choose.coin() ? io::NonFinite::drop : io::NonFinite::error;
  state.units = choose.text();
  choose_density(choose, state);
  state.transfer = random_transfer_function(random);
  choose_look(choose, state);
  return state;
}

}  // namespace skde::test
