#include "service/worker/run_planner.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "cli/results/result_table.hpp"
#include "commands/output/plan_report.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::milliseconds kPlannerPatience{5000};
constexpr std::chrono::milliseconds kPlannerPause{200};

}  // namespace

void RunPlanner::start() {
  link_ = std::make_shared<WorkerLink>(context_);
  link_->start(
      {[this](const Json& json) { on_message(json); }, [this](const std::string&) { on_end(); }},
      "planner", folder_.path());
}

void RunPlanner::stop() {
  closed_ = true;
  restart_.reset();
}

void RunPlanner::ask(const Json& order, Told told) {
  // While it is being replaced, or is late, nobody else waits for it.
  const auto is_late = [](const auto& question) { return !question.second.told; };
  if (link_->process() <= 0 || std::ranges::any_of(questions_, is_late))
    return boost::asio::post(context_, [told = std::move(told)] { told({}); });
  const std::uint64_t number = next_++;  // runs are numbered from 1
  questions_[number] = {std::move(told), std::make_unique<boost::asio::steady_timer>(context_)};
  expect_answer(number);
  Json question = order;
  question["folder"] = folder_.inside(folder_.work(0));
  question["run"] = number;
  link_->send(question);
}

void RunPlanner::expect_answer(std::uint64_t number) {
  boost::asio::steady_timer& timer = *questions_.at(number).timer;
  timer.expires_after(kPlannerPatience);
  timer.async_wait([this, number](ErrorCode problem) {
    if (!problem) on_late(number);
  });
}

/// At the first timeout the planner is asked to stop; at the second it is killed.
void RunPlanner::on_late(std::uint64_t number) {
  const auto found = questions_.find(number);
  if (found == questions_.end()) return;
  if (!found->second.told) return link_->kill();
  const Told told = std::exchange(found->second.told, nullptr);
  link_->send({{"cancel", number}});
  expect_answer(number);
  told({});
}

void RunPlanner::answer(std::uint64_t number, const RunForecast& forecast) {
  const auto found = questions_.find(number);
  if (found == questions_.end()) return;
  const Told told = std::move(found->second.told);
  questions_.erase(found);
  if (told) told(forecast);
}

void RunPlanner::on_message(const Json& json) {
  const std::uint64_t number = json.value("run", std::uint64_t{0});
  if (const auto told = json.find("forecast"); told != json.end())
    return answer(number, {cli::read_as<WorkForecast>(*told), {}});
  const auto problem = json.find("problem");
  if (problem == json.end()) return;
  RunForecast forecast;
  // All other errors are reported by the run itself.
  if (problem->value("kind", "") == "resources") forecast.refusal = *problem;
  answer(number, forecast);
}

void RunPlanner::on_end() {
  for (auto& [number, question] : std::exchange(questions_, {}))
    if (question.told) question.told({});
  if (closed_) return;
  restart_ = std::make_unique<boost::asio::steady_timer>(context_, kPlannerPause);
  restart_->async_wait([this](ErrorCode problem) {
    if (!problem) start();
  });
}

}  // namespace skde::service
