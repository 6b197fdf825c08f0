#include "estimate/worker.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "estimate/read/timed_cloud.hpp"
#include "estimate/values/density_plan.hpp"
#include "estimate/values/memory_plan.hpp"
#include "system/host_memory.hpp"

namespace skde {

void SessionWorker::Reports::begin(std::string_view stage, std::uint64_t total, std::string_view) {
  const std::lock_guard lock(worker_.mutex_);
  total_ = total;
  worker_.status_.stage = stage;
  worker_.status_.share.reset();
  if (total > 0) worker_.status_.share = 0;
}

void SessionWorker::Reports::update(std::uint64_t done) {
  const std::lock_guard lock(worker_.mutex_);
  if (total_ > 0)
    worker_.status_.share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
}

bool SessionWorker::Reports::cancelled() const {
  const std::lock_guard lock(worker_.mutex_);
  if (worker_.ending_ || worker_.stopped_) return true;
  if (worker_.following_)
    return worker_.waiting_ && worker_.waiting_->files != worker_.current_.files;
  if (!worker_.waiting_ || Clock::now() - worker_.begun_ < kPatience) return false;
  return !(worker_.opening_ && worker_.waiting_->files == worker_.current_.files &&
           worker_.waiting_->reading == worker_.current_.reading);
}

class SessionWorker::Follower final : public StreamListener {
 public:
  Follower(SessionWorker& worker, std::uint64_t number) : worker_(worker), served_(number) {}

  void use(MergedDensity merged) override {
    WorkerResult result{served_, {}, {}, nullptr};
    result.density = Session::density_of(std::move(merged));
    worker_.hand_over_more(std::move(result));
  }
  void refused(const Error& error) override {
    worker_.hand_over_more({served_, {}, error, nullptr});
    served_ = before_;  // the previous request continues
  }
  bool is_live() const override { return true; }
  std::optional<DensityRequest> changed() override {
    std::unique_lock lock(worker_.mutex_);
    while (worker_.paused_ && !worker_.waiting_ && !worker_.ending_ && !worker_.stopped_)
      worker_.asked_.wait_for(lock, kLookAgain);
    if (!worker_.waiting_ || worker_.waiting_->files != worker_.current_.files) return std::nullopt;
    worker_.take_waiting();
    worker_.status_.busy = true;
    before_ = std::exchange(served_, worker_.current_number_);
    return worker_.current_.density;
  }
  void wait() override {
    std::unique_lock lock(worker_.mutex_);
    worker_.status_.stream_ended = true;
    worker_.asked_.wait_for(lock, kLookAgain, [&] { return worker_.ending_ || worker_.waiting_; });
  }

 private:
  static constexpr std::chrono::milliseconds kLookAgain{20};  // to notice cancel()

  SessionWorker& worker_;
  std::uint64_t served_, before_ = 0;  // request numbers
};

SessionWorker::SessionWorker(SessionOptions options, std::function<void()> on_result)
    : on_result_(std::move(on_result)),
      options_(options),
      session_(options),
      thread_([this] { work(); }) {}

SessionWorker::~SessionWorker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

std::uint64_t SessionWorker::request(WorkerRequest request) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(request);
    number = ++newest_;
  }
  asked_.notify_one();
  return number;
}

void SessionWorker::cancel() {
  const std::lock_guard lock(mutex_);
  stopped_ = running_;
  if (running_) waiting_.reset();
}

void SessionWorker::pause(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
  }
  asked_.notify_one();
}

std::optional<WorkerResult> SessionWorker::newest() {
  return std::exchange(refusal_ ? refusal_ : result_, std::nullopt);
}

std::optional<WorkerResult> SessionWorker::poll() {
  const std::lock_guard lock(mutex_);
  return newest();
}

std::optional<WorkerResult> SessionWorker::poll_for(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, longest, [this] { return refusal_ || result_; });
  return newest();
}

std::optional<PlannedDensity> SessionWorker::poll_planned() {
  const std::lock_guard lock(mutex_);
  return std::exchange(planned_, std::nullopt);
}

WorkerStatus SessionWorker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool SessionWorker::take_request() {
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return ending_ || waiting_; });
  if (ending_) return false;
  take_waiting();
  opening_ = !session_.is_open(current_.files) || current_.reading != opened_reading_;
  following_ = current_.window.has_value();
  status_.stream_ended = false;
  status_.busy = running_ = true;
  stopped_ = false;
  return true;
}

void SessionWorker::take_waiting() {
  current_ = *std::exchange(waiting_, std::nullopt);
  current_number_ = newest_;
  begun_ = Clock::now();
  planned_.reset();
  ++status_.runs;
}

void SessionWorker::run_window(const WorkerRequest& request, Progress& reports) {
  session_.open_in_parts(request.files);
  Follower follower(*this, current_number_);
  session_.follow(request.density, *request.window, follower, reports);
}

Session& SessionWorker::session_for(const WorkerRequest& request) {
  const std::shared_ptr<const SampleCloud>& whole = session_.cloud();
  if (request.within.empty() || !whole) {
    part_.reset();
    part_of_.reset();
    return session_;
  }
  if (!part_ || part_of_ != whole || part_within_ != request.within) {
    part_.reset();
    std::shared_ptr<const SampleCloud> cloud = cloud_within(*whole, request.within);
    part_.emplace(options_);
    part_->open(std::move(cloud));
    part_of_ = whole;
    part_within_ = request.within;
  }
  return *part_;
}

void SessionWorker::announce(Session& session, const DensityRequest& request,
                             const WorkerResult& result, Progress& reports) {
  if (!session.cloud()) return;  // a volume is read
  PlannedDensity planned{.number = current_number_, .cloud = session.cloud(), .time = result.time};
  try {
    const DensityPlan plan = session.plan(request, reports, {});
    planned.grid = plan.grid;
    if (!plan.is_provisional) planned.h = plan.bandwidth.h;
  } catch (const Error&) {
    return;  // computing it will say so
  }
  {
    const std::lock_guard lock(mutex_);
    planned_ = std::move(planned);
  }
  if (on_result_) on_result_();
}

Density SessionWorker::compute(Session& session, DensityRequest request,
                               const std::optional<Box>& held, Progress& reports) {
  if (!session.cloud()) return session.compute(request, reports);  // a volume is read
  DensityPlan plan = session.plan(request, reports, {.runs = true});
  if (held && !request.gives_box()) {
    Box both = plan.grid.bounds();
    for (int axis = 0; axis < 3; ++axis) {
      both.lower[axis] = std::min(both.lower[axis], held->lower[axis]);
      both.upper[axis] = std::max(both.upper[axis], held->upper[axis]);
    }
    if (both == plan.grid.bounds()) return session.compute(plan, reports);
    request.grid.bounds = both;
    plan = session.plan(request, reports, {.runs = true});
  }
  return session.compute(plan, reports);
}

DensityRequest SessionWorker::open_time(const WorkerRequest& request, WorkerResult& result,
                                        Progress& reports) {
  if (!timed_ || !timed_->is_of(request.files, request.time.column) ||
      request.reading != opened_reading_) {
    timed_.reset();
    open_time_.reset();
    timed_ = std::make_unique<TimedCloud>(request.files, request.time.column,
                                          static_cast<double>(memory_within(0)), reports);
  }
  result.time = timed_->range(request.time);
  if (open_time_ != result.time) {
    open_time_.reset();
    session_.open(timed_->window(*result.time));
    open_time_ = result.time;
  }
  DensityRequest density = request.density;
  if (!density.like && !density.grid.bounds) density.like = grid_of_all(density, timed_->whole());
  return density;
}

WorkerResult SessionWorker::run(const WorkerRequest& request) {
  WorkerResult result;
  Reports reports(*this);
  try {
    if (request.window) {
      run_window(request, reports);  // ends only by an error: an endless stream is cancelled
      return result;
    }
    DensityRequest density = request.density;
    if (!request.time.column.empty()) {
      density = open_time(request, result, reports);
    } else if (opening_) {  // which only this thread sets
      timed_.reset();
      open_time_.reset();
      session_.open(request.files, reports);
    }
    {
      const std::lock_guard lock(mutex_);
      opening_ = false;
      opened_reading_ = request.reading;
    }
    Session& session = session_for(request);
    if (request.announces) announce(session, density, result, reports);
    result.density = compute(session, density, request.holds, reports);
    result.cloud = session.cloud();
    return result;
  } catch (const Error& error) {
    result.error = error;
  } catch (const std::bad_alloc&) {
    result.error = Error(ErrorKind::resources, "out of memory",
                         {"dims", "use smaller `dims`, fewer samples, or `precision=f32`"});
  } catch (const std::exception& error) {
    result.error = Error(ErrorKind::resources, std::string("unexpected failure: ") + error.what(),
                         {{}, "report it if it happens again"});
  }
  result.cloud = session_.cloud();
  return result;
}

void SessionWorker::hand_over(WorkerResult result) {
  std::optional<WorkerResult> replaced;  // destroyed without the lock, as that may free memory
  {
    const std::lock_guard lock(mutex_);
    running_ = following_ = false;
    status_.busy = waiting_.has_value();
    status_.stage.clear();
    status_.share.reset();
    // A request that was cancelled in favour of a newer one needs no result.
    if (result.error && result.error->kind() == ErrorKind::cancelled && !stopped_) return;
    result.number = current_number_;
    if (result.density) planned_.reset();
    if (stopped_ && !waiting_ && current_number_ != newest_) {
      // Requests dropped behind this one are cancelled as well, and so is its result.
      result = WorkerResult{
          newest_, {}, Error(ErrorKind::cancelled, "cancelled"), std::move(result.cloud)};
    }
    replaced = std::exchange(result_, std::move(result));
  }
  answered_.notify_all();
  if (on_result_) on_result_();
}

void SessionWorker::hand_over_more(WorkerResult result) {
  std::optional<WorkerResult> replaced;
  {
    const std::lock_guard lock(mutex_);
    status_.busy = waiting_.has_value();
    status_.stage.clear();
    status_.share.reset();
    auto& place = result.error ? refusal_ : result_;
    replaced = std::exchange(place, std::move(result));
  }
  answered_.notify_all();
  if (on_result_) on_result_();
}

void SessionWorker::work() {
  while (take_request()) hand_over(run(WorkerRequest(current_)));
}

}  // namespace skde
