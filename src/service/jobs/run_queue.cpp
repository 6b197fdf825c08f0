#include "service/jobs/run_queue.hpp"

#include <fmt/core.h>

#include <boost/asio/post.hpp>
#include <cmath>
#include <filesystem>

#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"
#include "service/answer/http_message.hpp"
#include "system/host_memory.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;
using ErrorCode = boost::system::error_code;

constexpr int kMostRuns = 3;
/// Time between asking a worker to stop and ending it.
constexpr std::chrono::milliseconds kWorkerPatience{2000};
/// Longest time until a prediction; after it, the worker has as long again to stop.
constexpr std::chrono::milliseconds kAnswerPatience{5000};

const std::string kCpu = "cpu", kBeside = "beside";

/// Returns one role per GPU, and one for the CPU. GPUs are found by their device files, as the
/// service itself does not start CUDA.
std::vector<std::string> worker_roles() {
  std::vector<std::string> roles;
  for (int gpu = 0; SKDE_HAS_CUDA && gpu < 64; ++gpu) {
    std::string number = std::to_string(gpu);
    if (std::filesystem::exists("/dev/nvidia" + number)) roles.push_back(std::move(number));
  }
  roles.push_back(kCpu);
  roles.push_back(kBeside);
  return roles;
}

/// Returns the overall progress in percent; reading comes first, writing last.
int percent_of(const Run& run) {
  double begin = 25, span = 65;
  if (run.stage.starts_with("read")) begin = 0, span = 25;
  if (run.stage.starts_with("writ")) begin = 90, span = 9;
  const double share =
      run.total > 0 ? std::min(1.0, static_cast<double>(run.done) / static_cast<double>(run.total))
                    : 0;
  return static_cast<int>(std::floor(begin + span * share));
}

}  // namespace

void Run::take_progress(const Json& json) {
  if (json.contains("stage")) {
    stage = json["stage"].get<std::string>();
    unit = json.value("unit", "");
    total = json.value("total", std::uint64_t{0});
    done = 0;
    stage_watch = {};
  } else {
    done = json["done"].get<std::uint64_t>();
    const double seconds = stage_watch.seconds();
    rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  }
  percent = std::max(percent, percent_of(*this));
}

std::size_t position_of(const std::list<RunPtr>& waiting, const Run& run) {
  std::size_t position = 0;
  std::map<std::string_view, std::size_t> others;
  bool found = false;
  for (const RunPtr& other : waiting) {
    if (other->owner != run.owner)
      ++others[other->owner];
    else if (!found)
      ++position;
    found = found || other.get() == &run;
  }
  if (!found) return 0;
  std::size_t before = 0;
  for (const auto& [owner, count] : others) before += std::min(count, position);
  return position + before;
}

RunQueue::RunQueue(boost::asio::io_context& context, const DataFolder& folder, JobMetrics& metrics,
                   double run_seconds)
    : context_(context),
      folder_(folder),
      metrics_(metrics),
      most_seconds_(std::min(2 * run_seconds, 1e8)) {}

void RunQueue::start(Events events) {
  events_ = std::move(events);
  for (const std::string& role : worker_roles()) {
    Slot& slot = slots_.emplace_back();
    slot.role = role;
    slot.beside = role == kBeside;
    slot.has_gpu = role != kCpu && !slot.beside;
  }
  for (Slot& slot : slots_) start_worker(slot);
}

void RunQueue::start_worker(Slot& slot) {
  slot.ready = false;
  slot.worker = events_.start({[this, &slot](Json& json) { on_message(slot, json); },
                               [this, &slot](const std::string& why) { on_worker_end(slot, why); }},
                              slot.role);
}

RunPtr RunQueue::add(std::string key, std::string owner, WorkerOrder order, int attempts) {
  auto run = std::make_shared<Run>();
  run->number = next_number_++;
  run->key = std::move(key);
  run->owner = std::move(owner);
  run->order = std::move(order);
  run->attempts = attempts;
  run->begun = now_milliseconds();
  waiting_.push_back(run);
  boost::asio::post(context_, [this] { dispatch(); });
  return run;
}

void RunQueue::predict(WorkerOrder order, TakeForecast told) {
  const auto question = std::make_shared<Question>(
      Question{std::move(order), std::move(told), boost::asio::steady_timer(context_)});
  questions_.push_back(question);
  expect_answer(question);
  boost::asio::post(context_, [this] { dispatch(); });
}

void RunQueue::predict_if_waiting(const RunPtr& run, TakeForecast told) {
  constexpr std::chrono::milliseconds kSoon{100};
  const auto timer = std::make_shared<boost::asio::steady_timer>(context_, kSoon);
  timer->async_wait([this, timer, weak = std::weak_ptr(run), told = std::move(told)](ErrorCode) {
    const RunPtr late = weak.lock();
    if (std::ranges::find(waiting_, late) != waiting_.end()) predict(late->order, told);
  });
}

void RunQueue::Question::answer(const RunForecast& forecast) {
  if (const auto tell = std::exchange(told, nullptr)) tell(forecast);
}

/// At the first timeout the worker is asked to stop; at the second it is killed.
void RunQueue::expect_answer(const QuestionPtr& question) {
  question->timer.expires_after(kAnswerPatience);
  question->timer.async_wait([this, weak = std::weak_ptr(question)](ErrorCode problem) {
    const auto late = weak.lock();
    if (problem || !late) return;
    const auto slot = std::ranges::find(slots_, late, &Slot::question);
    if (slot == slots_.end()) {  // no worker had time
      std::erase(questions_, late);
    } else if (late->told) {
      slot->worker->send({{"cancel", late->order.run}});
      expect_answer(late);
    } else {
      slot->worker->kill();
    }
    late->answer({});
  });
}

/// Lets an idle worker predict what is asked for next, if it sees the same devices as those who
/// run.
void RunQueue::ask(Slot& slot) {
  const bool sees_all = slot.beside || slot.has_gpu == slots_.front().has_gpu;
  if (!slot.is_idle() || !sees_all || questions_.empty()) return;
  slot.question = std::move(questions_.front());
  questions_.pop_front();
  WorkerOrder& order = slot.question->order;
  order.run = next_number_++;
  order.folder = folder_.inside(folder_.work(order.run));
  order.predicts = true;
  slot.worker->send(order);
}

/// Returns true if the worker may begin the run: it has the kind of device that the run's engine
/// needs, or takes light runs while the others keep this owner waiting. A run waits for memory that
/// other runs hold.
bool RunQueue::fits(const Slot& slot, const Run& run) const {
  const auto is_for = [&, gpus = slots_.front().has_gpu](const Slot& one) {
    return !one.beside && (!gpus || one.has_gpu == run.on_device.value_or(true));
  };
  const auto keeps_waiting = [&](const Slot& other) {
    return !is_for(other) || (other.run && other.run->owner != run.owner);
  };
  if (slot.beside ? !run.is_light || !std::ranges::all_of(slots_, keeps_waiting) : !is_for(slot))
    return false;
  return running() == 0 || run.host_bytes < static_cast<double>(available_memory());
}

/// The extra worker predicts first, the others only what keeps no run waiting.
void RunQueue::dispatch() {
  ask(slots_.back());
  for (Slot& slot : slots_) begin(slot);
  for (Slot& slot : slots_) ask(slot);
}

void RunQueue::hold(bool held) {
  held_ = held;
  dispatch();
}

bool RunQueue::is_brisk() const {
  constexpr double kBrisk = 0.1;
  return !closed_ && !held_ && std::ranges::none_of(slots_, [](const Slot& slot) {
    return slot.run && slot.run->expected_seconds > kBrisk;
  });
}

/// Begins the run that comes next for a worker, if there is one.
void RunQueue::begin(Slot& slot) {
  if (closed_ || held_ || !slot.is_idle()) return;
  const auto chosen = first_to_run(
      waiting_, now_milliseconds(), [&](const Run& run) { return fits(slot, run); },
      [&](const Run& run) {
        const auto turn = turns_.find(run.owner);
        return turn == turns_.end() ? 0 : turn->second;
      });
  if (chosen == waiting_.end()) return;
  slot.run = std::move(*chosen);
  waiting_.erase(chosen);
  Run& run = *slot.run;
  run.running = true;
  turns_[run.owner] = next_number_++;
  ++run.attempts;
  WorkerOrder order = run.order;
  order.run = run.number;
  order.folder = folder_.inside(folder_.work(run.number));
  order.owner = run.owner;
  order.unplanned = run.expected_seconds == 0;
  slot.worker->send(order);
  expect_end(slot);
  events_.news(run);
}

/// Stops a run that takes much longer than any may, whatever was predicted.
void RunQueue::expect_end(Slot& slot) {
  slot.timer = std::make_unique<boost::asio::steady_timer>(
      context_, std::chrono::milliseconds(std::llround(1e3 * most_seconds_)));
  slot.timer->async_wait([this, weak = std::weak_ptr<Run>(slot.run)](ErrorCode problem) {
    const auto run = weak.lock();
    if (problem || !run || !run->running) return;
    run->problem =
        Problem(413, "resources",
                fmt::format("this took {:.3g} s, twice the limit of a run", most_seconds_),
                {{}, "request less, or ask the operator for a larger `run_time`"})
            .json();
    stop(*run);
  });
}

void RunQueue::on_message(Slot& slot, Json& json) {
  if (json.contains("ready")) {
    slot.ready = true;
    return dispatch();
  }
  if (slot.question && json.value("run", std::uint64_t{0}) == slot.question->order.run)
    return on_answer(slot, json);
  if (!slot.run || json.value("run", std::uint64_t{0}) != slot.run->number) return;
  Run& run = *slot.run;
  if (const auto forecast = json.find("forecast"); forecast != json.end()) {
    events_.forecast(run, {cli::read_as<WorkForecast>(*forecast), {}});
    if (!json.contains("seconds")) {  // it waits
      if (!run.stopped) slot.worker->send({{"go", run.number}});
      return;
    }
  }
  if (json.contains("streams")) {
    run.attempts = kMostRuns;  // the client has bytes of this one
    if (!events_.stream(run, json)) return stop(run);
    return slot.worker->send({{"go", run.number}});
  }
  if (json.contains("stage") || json.contains("done")) {
    run.take_progress(json);
    return events_.news(run);
  }
  slot.failures = 0;
  if (json.contains("result")) run.result = std::move(json["result"]);
  if (json.contains("problem") && run.problem.is_null()) run.problem = std::move(json["problem"]);
  if (!run.stopped) ++metrics_.runs;
  metrics_.run_seconds += json.value("seconds", 0.0);
  metrics_.memory[slot.role] = {json.value("sample_bytes", std::uint64_t{0}),
                                json.value("device_used", std::uint64_t{0}),
                                json.value("device_total", std::uint64_t{0})};
  const RunPtr ended = std::exchange(slot.run, nullptr);
  slot.timer.reset();
  ended->running = false;
  dispatch();  // so that the worker goes on meanwhile
  events_.end(ended);
}

void RunQueue::on_answer(Slot& slot, const Json& json) {
  const auto told = json.find("forecast"), problem = json.find("problem");
  if (told == json.end() && problem == json.end()) return;  // it is at work
  RunForecast forecast;
  if (told != json.end())
    forecast = {cli::read_as<WorkForecast>(*told), {}};
  else if (problem->value("kind", "") == "resources")  // the run itself reports all others
    forecast.refusal = *problem;
  std::exchange(slot.question, nullptr)->answer(forecast);
  dispatch();
}

/// Ends a run after too many crashes; the service always goes on.
void RunQueue::on_worker_end(Slot& slot, const std::string& why) {
  slot.ready = false;
  metrics_.memory.erase(slot.role);
  ++slot.failures;
  slot.timer.reset();
  if (const QuestionPtr question = std::exchange(slot.question, nullptr)) question->answer({});
  if (const RunPtr run = std::exchange(slot.run, nullptr)) {
    run->running = false;
    if (!run->stopped) ++metrics_.crashes;
    std::error_code ignored;
    std::filesystem::remove_all(folder_.work(run->number), ignored);
    if (run->stopped) {
      if (run->problem.is_null()) run->problem = Problem(410, "cancelled", "stopped").json();
      events_.end(run);
    } else if (run->attempts < kMostRuns) {
      run->stage.clear();
      waiting_.push_front(run);
      events_.news(*run);
    } else {
      run->problem =
          Problem(500, "crash",
                  fmt::format("the worker ended by {} in '{}', in each of {} attempts", why,
                              run->stage.empty() ? "starting" : run->stage, run->attempts))
              .json();
      events_.end(run);
    }
  }
  if (closed_) return;
  // A worker that ends immediately is restarted with a delay.
  slot.timer = std::make_unique<boost::asio::steady_timer>(
      context_, std::chrono::milliseconds(slot.failures > 3 ? 1000 : 10));
  slot.timer->async_wait([this, &slot](ErrorCode problem) {
    if (!problem) start_worker(slot);
  });
}

void RunQueue::stop(Run& run) {
  run.stopped = true;
  const auto waits =
      std::ranges::find_if(waiting_, [&](const RunPtr& other) { return other.get() == &run; });
  if (waits != waiting_.end()) {
    const RunPtr kept = *waits;
    waiting_.erase(waits);
    if (kept->problem.is_null()) kept->problem = Problem(410, "cancelled", "stopped").json();
    return events_.end(kept);
  }
  for (Slot& slot : slots_) {
    if (slot.run.get() != &run) continue;
    slot.worker->send({{"cancel", run.number}});
    slot.timer = std::make_unique<boost::asio::steady_timer>(context_, kWorkerPatience);
    slot.timer->async_wait([worker = slot.worker](ErrorCode problem) {
      if (!problem) worker->kill();
    });
  }
}

std::size_t RunQueue::running() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.run != nullptr; }));
}

bool RunQueue::ready() const {
  return !closed_ && std::ranges::any_of(slots_, [](const Slot& slot) {
    return !slot.beside && slot.ready && slot.worker->answers();
  });
}

}  // namespace skde::service
