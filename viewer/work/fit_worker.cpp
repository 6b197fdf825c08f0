#include "viewer/work/fit_worker.hpp"

#include <fmt/core.h>

#include <exception>
#include <new>
#include <utility>
#include <vector>

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

/// Notes the stage of a fit and answers whether it must stop.
class FitWorker::Reports final : public Progress {
 public:
  explicit Reports(FitWorker& worker) : worker_(worker) {}
  void begin(std::string_view stage, std::uint64_t, std::string_view) override {
    const std::lock_guard lock(worker_.mutex_);
    worker_.status_.stage = stage;
  }
  void update(std::uint64_t) override {}
  bool cancelled() const override { return worker_.abandoned_; }

 private:
  FitWorker& worker_;
};

void FitWorker::start(FitJob job) {
  abandon();
  stops_ = abandoned_ = false;
  const std::int64_t usual =
      job.spec.loss == FitLoss::l2 ? kDefaultGradientSteps : kDefaultMaximisingSteps;
  status_ = {true, "", 0, job.spec.steps.value_or(usual), {}};
  thread_ = std::thread([this, job = std::move(job)] { run(job); });
}

void FitWorker::abandon() {
  abandoned_ = true;
  if (thread_.joinable()) thread_.join();
  result_.reset();
  status_ = {};
}

FitStatus FitWorker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<FitResult> FitWorker::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

void FitWorker::run(const FitJob& job) {
  Reports reports(*this);
  const auto watch = [this](std::int64_t step, double error) {
    {
      const std::lock_guard lock(mutex_);
      status_.step = step;
      status_.errors.push_back(static_cast<float>(error));
    }
    wake();
    return stops_.load();
  };
  FitResult result;
  try {
    result.fit = fit_mixture({&job.volume, job.samples, job.kernel}, job.spec, reports, watch);
  } catch (const Error& error) {
    result.error = error;
  } catch (const std::bad_alloc&) {
    result.error = Error(ErrorKind::resources, "the memory does not suffice for the fit",
                         {"members", "ask for fewer `members`"});
  } catch (const std::exception& error) {
    result.error = Error(ErrorKind::resources, error.what());
  }
  {
    const std::lock_guard lock(mutex_);
    status_.busy = false;
    result_ = std::move(result);
  }
  wake();
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
