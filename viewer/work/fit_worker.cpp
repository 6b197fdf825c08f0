#include "viewer/work/fit_worker.hpp"

#include <fmt/core.h>

#include <new>

#include "io/points/mixture_file.hpp"
#include "pictures/color_map.hpp"

namespace skde::view {
namespace {

io::MixtureFacts facts_of(const FitFacts& facts) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  return {{"relative_error", number(facts.relative_error)},
          {"psnr_db", number(facts.psnr)},
          {"largest_error", number(facts.largest_error)},
          {"mass", number(facts.mass)},
          {"steps", fmt::format("{}", facts.steps)}};
}

}  // namespace

FitWorker::FitWorker(const std::function<void()>& wake)
    : worker_(
          [wake](const std::shared_ptr<Running>& running, Progress& progress) {
            const auto watch = [&](std::int64_t step, double error) {
              {
                const std::lock_guard lock(running->mutex);
                running->step = step;
                running->errors.push_back(static_cast<float>(error));
              }
              if (wake) wake();
              return running->stops.load();
            };
            const FitJob& job = running->job;
            try {
              return fit_mixture({&job.volume, job.samples, job.kernel}, job.spec, progress, watch);
            } catch (const std::bad_alloc&) {
              throw Error(ErrorKind::resources, "the memory does not suffice for the fit",
                          {"members", "ask for fewer `members`"});
            }
          },
          wake) {}

void FitWorker::start(FitJob job) {
  running_ = std::make_shared<Running>(std::move(job));
  worker_.request(running_);
}

void FitWorker::forget() {
  worker_.cancel();
  running_.reset();
  last_.reset();
}

FitStatus FitWorker::status() const {
  const WorkStatus work = worker_.status();
  FitStatus status{work.busy, work.stage};
  if (!running_) return status;
  const FitSpec& spec = running_->job.spec;
  status.steps = spec.steps.value_or(spec.loss == FitLoss::l2 ? kDefaultGradientSteps
                                                              : kDefaultMaximisingSteps);
  const std::lock_guard lock(running_->mutex);
  status.step = running_->step;
  status.errors = running_->errors;
  return status;
}

std::optional<FitWorker::Worker::Answer> FitWorker::poll() {
  std::optional<Worker::Answer> ended = worker_.poll();
  if (ended) ended->job->job.volume = Volume();  // which may be large
  if (ended && ended->result) last_ = ended->result;
  return ended;
}

void save_fitted(const std::string& path, const MixtureFit& fit) {
  io::require_mixture_extension(path);
  NoProgress silent;
  const Mixture& mixture = fit.mixture;
  const std::vector<double> heights =
      mixture_at(mixture, TargetPoints(mixture.members.xyz), {}, silent);
  const std::vector<float> colours = map_shares(ColorMap::viridis, heights);
  io::write_mixture(path, mixture, facts_of(fit.facts), {colours, heights}, silent);
}

}  // namespace skde::view
