#include "mixture/fit_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/mixture_samples.hpp"
#include "mixture/member_control.hpp"

namespace skde {
namespace {

/// With fewer samples, and fewer for each member, members start from samples that are merged. That
/// takes longer than clusters, and can err half as much.
constexpr std::size_t kSamplesOfMerged = 32, kMostMerged = std::size_t{1} << 18;

Symmetric3 at_least_a_cell(const Symmetric3& world, const Grid& grid) {
  const Symmetric3 cells = in_cells(world, grid);
  return is_above(cells, 1) ? world : in_world(raise_to_floor(cells, 1), grid);
}

}  // namespace

FitTarget::FitTarget(const FitInput& input) : samples_(input.samples), kernel_(input.kernel) {
  const Grid& grid = input.volume->grid();
  problem_.target = problem_.frame = grid;
  problem_.kernel = at_least_a_cell(kernel_, grid);
  masses_.reserve(static_cast<std::size_t>(grid.cells()));
  std::visit(
      [&](const auto& values) {
        for (const auto value : values)
          masses_.push_back(static_cast<double>(value) * grid.cell_volume());
      },
      input.volume->value_span());
  for (const double mass : masses_) {
    if (!(mass >= 0 && std::isfinite(mass)))
      throw Error(ErrorKind::input,
                  mass < 0 ? "the volume has negative values, which no sum of Gaussians has"
                           : "the volume has values that are not finite");
    mass_ += mass;
    squares_ += mass * mass;
    peak_ = std::max(peak_, mass);
  }
  if (!(mass_ > 0))
    throw Error(ErrorKind::input, "all values of the volume are 0: use one with a value above 0");
}

std::size_t FitTarget::most_members() const {
  const auto cells = std::ranges::count_if(masses_, [](double mass) { return mass > 0; });
  return std::max(samples_.size(), static_cast<std::size_t>(cells));
}

std::vector<MassPoint> FitTarget::cell_points() const {
  std::vector<MassPoint> points;
  std::size_t i = 0;
  for (std::int64_t z = 0; z < grid().dims[2]; ++z)
    for (std::int64_t y = 0; y < grid().dims[1]; ++y)
      for (std::int64_t x = 0; x < grid().dims[0]; ++x, ++i)
        if (masses_[i] > 0)
          points.push_back(
              {{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)},
               masses_[i]});
  return points;
}

std::vector<MassPoint> FitTarget::sample_points() const {
  double weight = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) weight += samples_.weight(i);
  std::vector<MassPoint> points;
  points.reserve(samples_.size());
  for (std::size_t i = 0; i < samples_.size(); ++i)
    if (samples_.weight(i) > 0)
      points.push_back({grid().to_cells(samples_.point(i)), samples_.weight(i) / weight * mass_});
  return points;
}

std::vector<Member> FitTarget::start(std::size_t count) const {
  std::vector<Member> members;
  if (samples_.size() >= count) {
    std::vector<MassPoint> points = sample_points();
    const bool merges = points.size() < std::min(kSamplesOfMerged * count, kMostMerged);
    members = clusters_of(points, merges ? points.size() : count, kLeastFactor);
    if (members.size() > count) merge_members(members, count, kernel_in_cells(problem_));
  }
  if (members.size() == count) return members;
  std::vector<MassPoint> cells = cell_points();
  if (cells.size() < count)
    throw Error(ErrorKind::usage,
                fmt::format("{} members are more than the {} cells whose value is not 0", count,
                            cells.size()),
                {"members", "ask for fewer `members`, or give more `dims`"});
  return clusters_of(cells, count, kLeastFactor);
}

FitFacts FitTarget::judge(std::vector<Member>& members, const FitSpec& spec,
                          Progress& progress) const {
  MixtureProblem exact = problem_;
  exact.tolerance = 0;
  const auto engine = make_mixture_engine(exact, fit_device(exact, members, spec), spec.options);
  engine->set_members(members);
  engine->sum(progress);
  const std::vector<double> values = engine->values();
  double sum = 0;
  for (const double value : values) sum += value;
  const double scale = sum > 0 ? mass_ / sum : 1;
  FitFacts facts;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    constexpr double kLeast = 1e-30;
    const double value = scale * values[i], difference = value - masses_[i];
    squares += difference * difference;
    facts.largest_error = std::max(facts.largest_error, std::abs(difference) / peak_);
    if (masses_[i] > 0)
      facts.divergence +=
          masses_[i] / mass_ * std::log(masses_[i] / std::max(value, kLeast * mass_));
  }
  for (Member& member : members) member.log_mass += std::log(scale);
  facts.members = members.size();
  facts.relative_error = std::sqrt(squares / squares_);
  facts.psnr = 20 * std::log10(peak_ / std::sqrt(squares / static_cast<double>(values.size())));
  for (const Member& member : members) facts.mass += std::exp(member.log_mass);
  facts.given_mass = mass_;
  facts.parameters = kMemberParameters * static_cast<std::int64_t>(members.size());
  return facts;
}

Device fit_device(const MixtureProblem& problem, const std::vector<Member>& members,
                  const FitSpec& spec) {
  Symmetric3 mean{};
  const Symmetric3 kernel = kernel_in_cells(problem);
  for (const Member& member : members)
    mean = mean + (1.0 / static_cast<double>(members.size())) * covariance_of(member, kernel);
  const Symmetric3 typical = in_world(mean, problem.frame);
  const auto offer = [&](Device device) {
    return mixture_offer(problem, members.size(), typical, device);
  };
  if (spec.device) {
    if (const Offer of = offer(*spec.device); !of.serves())
      throw Error(ErrorKind::resources, fmt::format("the fit cannot run there: {}", of.refusal),
                  {"device", "choose another `device`"});
    return *spec.device;
  }
  const Offer cpu = offer(Device::cpu), cuda = offer(Device::cuda);
  return cuda.serves() && cuda.seconds.run < cpu.seconds.run ? Device::cuda : Device::cpu;
}

}  // namespace skde
