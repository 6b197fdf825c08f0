#include "viewer/work/fit_worker.hpp"

#include <exception>
#include <new>
#include <utility>

namespace skde::view {

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

}  // namespace skde::view
