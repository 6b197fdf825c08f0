#include "mixture/fit_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/cpu/ranges/log_sums.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "mixture/member_control.hpp"

namespace skde {
namespace {

/// With fewer samples, and fewer for each member, members start from samples that are merged. That
/// takes longer than clusters, and can err half as much.
constexpr std::size_t kSamplesOfMerged = 32, kMostMerged = std::size_t{1} << 18;

Symmetric3 at_least(double floor, const Symmetric3& world, const Grid& grid) {
  const Symmetric3 cells = in_cells(world, grid);
  return is_above(cells, floor) ? world : in_world(raise_to_floor(cells, floor), grid);
}

/// The least variance of the kernel's part, in squared cells: as little as keeps it regular beside
/// its longest axis, if the kernel is known.
double least_variance(const Symmetric3& kernel, std::span<const double> own, const Grid& grid) {
  constexpr double kSlender = 1e-9, kRegular = kLeastFactor * kLeastFactor;
  if (kernel != Symmetric3{}) return std::max(kRegular, kSlender * in_cells(kernel, grid).trace());
  double least = 1;
  for (std::size_t i = 0; i + 6 <= own.size(); i += 6) {
    const Symmetric3 one{own[i], own[i + 1], own[i + 2], own[i + 3], own[i + 4], own[i + 5]};
    least = std::min(least, eigenvalues_of(in_cells(one, grid)).low);
  }
  return std::max(least, kRegular);
}

std::vector<double> sums_at(const MixtureProblem& problem, const std::vector<Member>& members,
                            const FitSpec& spec, Progress& progress) {
  const auto engine =
      make_mixture_engine(problem, fit_device(problem, members, spec), spec.options);
  engine->set_members(members);
  engine->sum(progress);
  return engine->values();
}

}  // namespace

FitTarget::FitTarget(const FitInput& input)
    : samples_(input.samples), kernel_(input.kernel), own_kernels_(input.own_kernels) {
  const Grid& grid = input.volume->grid();
  problem_.target = problem_.frame = grid;
  narrow_ = kernel_ != Symmetric3{} && !is_above(in_cells(kernel_, grid), 1);
  problem_.kernel = at_least(least_variance(kernel_, own_kernels_, grid), kernel_, grid);
  masses_.reserve(static_cast<std::size_t>(grid.cells()));
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) masses_.push_back(static_cast<double>(value));
      },
      input.volume->value_span());
  double peak = 0, sum = 0;
  for (const double value : masses_) {
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(ErrorKind::input,
                  value < 0 ? "the volume has negative values, which no sum of Gaussians has"
                            : "the volume has values that are not finite");
    peak = std::max(peak, value);
  }
  if (!(peak > 0))
    throw Error(ErrorKind::input, "all values of the volume are 0: use one with a value above 0");
  for (double& mass : masses_) sum += mass /= peak;
  for (double& mass : masses_) {
    mass /= sum;
    squares_ += mass * mass;
  }
  peak_ = 1 / sum;
  mass_ = sum * grid.cell_volume() * peak;
  if (!std::isnormal(mass_))
    throw Error(ErrorKind::input,
                "the mass of the volume is beyond the range of double: give its "
                "values in another unit");
}

Symmetric3 FitTarget::kernel_of_a_cell() const { return at_least(1, problem_.kernel, grid()); }

std::vector<double> FitTarget::sample_shares() const {
  std::vector<double> shares(samples_.size());
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i)
    largest = std::max(largest, shares[i] = samples_.weight(i));
  for (double& share : shares) sum += share /= largest;
  for (double& share : shares) share /= sum;
  return shares;
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
  const std::vector<double> shares = sample_shares();
  std::vector<MassPoint> points;
  points.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) points.push_back({grid().to_cells(samples_.point(i)), shares[i]});
  return points;
}

std::vector<Member> FitTarget::start(std::size_t count, const FitSpec& spec,
                                     Progress& progress) const {
  const StartDraws draws(spec.seed);
  std::vector<Member> members;
  if (samples_.size() >= count) {
    std::vector<MassPoint> points = sample_points();
    const bool merges = points.size() < std::min(kSamplesOfMerged * count, kMostMerged);
    members = clusters_of(points, merges ? points.size() : count, kLeastFactor, draws);
    if (members.size() > count) merge_members(members, count, kernel_in_cells(problem_), draws);
    if (members.size() == count && narrow_) better_clusters(members, points, spec, progress);
  }
  if (members.size() == count) return members;
  std::vector<MassPoint> cells = cell_points();
  if (cells.size() < count)
    throw Error(ErrorKind::usage,
                fmt::format("{} members are more than the {} cells whose value is not 0", count,
                            cells.size()),
                {"members", "ask for fewer `members`, or give more `dims`"});
  return clusters_of(cells, count, kLeastFactor, draws);
}

void FitTarget::better_clusters(std::vector<Member>& members, std::vector<MassPoint>& points,
                                const FitSpec& spec, Progress& progress) const {
  constexpr double kMostPairs = 4e9, kMostIterations = 15;
  const std::size_t count = members.size();
  const double pairs = static_cast<double>(points.size()) * static_cast<double>(count);
  const double iterations = std::min(kMostIterations, std::floor(kMostPairs / pairs));
  if (iterations < 1) return;
  std::vector<Member> other =
      k_means(points, clusters_of(points, count, kLeastFactor, StartDraws(spec.seed)),
              static_cast<int>(iterations), kLeastFactor);
  if (other.size() == count &&
      judge(other, spec, progress).relative_error < judge(members, spec, progress).relative_error)
    members = std::move(other);
}

FitFacts FitTarget::judge(std::vector<Member>& members, const FitSpec& spec,
                          Progress& progress) const {
  const std::vector<double> values = sums_at(problem_, members, spec, progress);
  double sum = 0;
  for (const double value : values) sum += value;
  const double scale = sum > 0 ? 1 / sum : 1;
  FitFacts facts;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = scale * values[i] - masses_[i];
    squares += difference * difference;
    facts.largest_error = std::max(facts.largest_error, std::abs(difference) / peak_);
  }
  for (Member& member : members) member.log_mass += std::log(scale);
  facts.members = members.size();
  facts.relative_error = std::sqrt(squares / squares_);
  facts.psnr = 20 * std::log10(peak_ / std::sqrt(squares / static_cast<double>(values.size())));
  for (const Member& member : members) facts.mass += mass_ * std::exp(member.log_mass);
  facts.given_mass = mass_;
  facts.parameters = kMemberParameters * static_cast<std::int64_t>(members.size());
  return facts;
}

double FitTarget::divergence(const std::vector<Member>& members, const FitSpec& spec,
                             Progress& progress) const {
  // A sum below this share of the largest may lack members that count: each is cut below
  // kDefaultTolerance of its own peak.
  constexpr double kSure = 1e3 * kDefaultTolerance;
  constexpr std::size_t kAtOnce = 3 << 18;
  const std::vector<double> values = sums_at(problem_, members, spec, progress);
  const double sure = kSure * *std::ranges::max_element(values);
  std::vector<double> places, shares;
  double sum = 0;
  const auto add_by_logs = [&] {
    const std::vector<double> logs =
        log_densities(mixture_of(members, problem_), places, spec.options.threads, progress);
    for (std::size_t k = 0; k < logs.size(); ++k)
      sum += shares[k] * (std::log(shares[k] / grid().cell_volume()) - logs[k]);
    places.clear();
    shares.clear();
  };
  std::size_t i = 0;
  for (std::int64_t z = 0; z < grid().dims[2]; ++z)
    for (std::int64_t y = 0; y < grid().dims[1]; ++y)
      for (std::int64_t x = 0; x < grid().dims[0]; ++x, ++i) {
        if (!(masses_[i] > 0)) continue;
        if (values[i] > sure) {
          sum += masses_[i] * std::log(masses_[i] / values[i]);
          continue;
        }
        const Vec3 at = grid().centre(x, y, z);
        places.insert(places.end(), {at.x, at.y, at.z});
        shares.push_back(masses_[i]);
        if (places.size() >= kAtOnce) add_by_logs();
      }
  if (!places.empty()) add_by_logs();
  return sum;
}

double FitTarget::squared_distance(const std::vector<Member>& members, const FitSpec& spec,
                                   Progress& progress) const {
  constexpr std::size_t kMostMembers = 1 << 13;
  if (!narrow_ || samples_.size() == 0 || members.size() > kMostMembers) return 0;
  // The integral of a member times a sample's Gaussian is the member, wider by H, at the sample.
  MixtureProblem problem = problem_;
  problem.kernel = 2.0 * problem.kernel;
  problem.target = TargetPoints({samples_.xyz.begin(), samples_.xyz.end()});
  const std::vector<double> values = sums_at(problem, members, spec, progress),
                            shares = sample_shares();
  const double product = std::inner_product(values.begin(), values.end(), shares.begin(), 0.0);
  return self_overlap(members, kernel_in_cells(problem_)) - 2 * product;
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

std::vector<double> log_densities(const Mixture& mixture, std::span<const double> points,
                                  int threads, Progress& progress) {
  const SamplesView members = mixture.members.view();
  Symmetric3 mean{};
  for (std::size_t k = 0; k < members.size(); ++k)
    mean = mean + (1.0 / static_cast<double>(members.size())) * members.shape(k);
  return KernelLogs({KernelFunction::gaussian, mean}, members, threads)
      .at(points, {}, {}, 0, progress, "logarithms")
      .logs;
}

}  // namespace skde
