#include "estimate/stream/density_window.hpp"

#include <algorithm>
#include <vector>

namespace skde {
namespace {

void erase_front(Samples& samples, std::size_t count) {
  const auto erase = [count](std::vector<double>& values, std::size_t each) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(each * count));
  };
  erase(samples.xyz, 3);
  if (!samples.weights.empty()) erase(samples.weights, 1);
}

BoundarySums sums_of(const SumsPlan& plan) {
  plan.require_runnable();
  return {plan.head.problem, plan.engine, plan.options, plan.slices};
}

}  // namespace

DensityWindow::DensityWindow(const SumsPlan& plan)
    : head_(plan.head), window_(static_cast<std::size_t>(plan.window)), sums_(sums_of(plan)) {}

void DensityWindow::change(const SumsPlan& plan, Progress& progress) {
  BoundarySums sums = sums_of(plan);
  sums.add(view(), progress);
  sums_ = std::move(sums);
  PartialCloud cloud = std::move(head_.cloud);
  head_ = plan.head;
  head_.cloud = std::move(cloud);
}

void DensityWindow::weigh(const SamplesView& points, double sign) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = points.weight(i);
    weight_.add(sign * w);
    weight_squared_.add_product(sign * w, w);
  }
}

void DensityWindow::leave(std::size_t count, Progress& progress) {
  const SamplesView gone = view().slice(0, count);
  sums_.subtract(gone, progress);
  weigh(gone, -1);
  left_ += count;
  if (2 * left_ < held_.size()) return;
  erase_front(held_, left_);
  left_ = 0;
}

SamplesView DensityWindow::last_of(const SamplesView& points) const {
  const std::size_t passed = points.size() - std::min(points.size(), window_);
  return points.slice(passed, points.size() - passed);
}

void DensityWindow::make_room(std::size_t coming, Progress& progress) {
  const std::size_t room = window_ - std::min(coming, window_);
  if (held() > room) leave(held() - room, progress);
}

double DensityWindow::largest_weight_with(const SamplesView& coming) const {
  double most = 0;
  for (const SamplesView& points : {view(), last_of(coming)})
    for (std::size_t i = 0; i < points.size(); ++i) most = std::max(most, points.weight(i));
  return most;
}

double DensityWindow::total_weight_with(const SamplesView& coming) const {
  ExactSum sum = weight_;
  const SamplesView last = last_of(coming);
  for (std::size_t i = 0; i < last.size(); ++i) sum.add(last.weight(i));
  return sum.value();
}

void DensityWindow::push(const SamplesView& points, Progress& progress) {
  seen_ += points.size();
  const SamplesView come = last_of(points);
  make_room(come.size(), progress);
  sums_.add(come, progress);
  weigh(come, 1);
  ever_.merge(compute_moments(come));
  append_samples(held_, come);
}

MergedDensity DensityWindow::density(Normalization normalization) const {
  ExactMoments::Sums sums;
  sums.count = held();
  sums.weight = weight_;
  sums.weight_squared = weight_squared_;
  sums.bounds = ever_.bounds();
  PartialHead head = head_;
  head.cloud.rows.beyond = sums_.beyond();
  head.outside = sums_.outside();
  head.cloud.moments = ExactMoments(sums);
  return density_of(head, sums_.sums(), normalization, EmptySums::zero);
}

}  // namespace skde
