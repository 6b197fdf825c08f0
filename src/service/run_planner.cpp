#include "service/run_planner.hpp"

#include <chrono>
#include <utility>

#include "service/run_plan.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::milliseconds kPlannerPatience{2000};
constexpr std::chrono::milliseconds kPlannerPause{200};

RunForecast forecast_of(const Json& told) {
  RunForecast forecast;
  forecast.seconds = told["seconds"].get<double>();
  forecast.host_bytes = told["host_bytes"].get<double>();
  forecast.result_bytes = told["result_bytes"].get<double>();
  forecast.on_device = told["on_device"].get<bool>();
  return forecast;
}

}  // namespace

void RunPlanner::start() {
  link_ = std::make_shared<WorkerLink>(context_);
  link_->start(
      {[this](const Json& json) { on_message(json); }, [this](const std::string&) { on_end(); }},
      "planner");
}

void RunPlanner::stop() {
  closed_ = true;
  restart_.reset();
}

void RunPlanner::ask(const Json& order, Told told) {
  const std::uint64_t number = next_++;
  auto timer = std::make_unique<boost::asio::steady_timer>(context_, kPlannerPatience);
  timer->async_wait([this, number](ErrorCode problem) {
    if (problem) return;
    link_->send({{"cancel", number}});
    answer(number, {});
  });
  questions_[number] = {std::move(told), std::move(timer)};
  // Runs have numbers from 1 on.
  Json question = order_in(folder_.work(0), order);
  question["run"] = number;
  link_->send(question);
}

void RunPlanner::answer(std::uint64_t number, const RunForecast& forecast) {
  const auto found = questions_.find(number);
  if (found == questions_.end()) return;
  const Told told = std::move(found->second.told);
  questions_.erase(found);
  told(forecast);
}

void RunPlanner::on_message(const Json& json) {
  const std::uint64_t number = json.value("run", std::uint64_t{0});
  if (const auto told = json.find("forecast"); told != json.end())
    return answer(number, forecast_of(*told));
  if (json.contains("result")) return answer(number, {});  // it took nothing worth telling
  const auto problem = json.find("problem");
  if (problem == json.end()) return;
  RunForecast forecast;
  // Whatever else is wrong is told by the run itself.
  if (problem->value("kind", "") == "resources") forecast.refusal = *problem;
  answer(number, forecast);
}

void RunPlanner::on_end() {
  for (auto& [number, question] : std::exchange(questions_, {})) question.told({});
  if (closed_) return;
  restart_ = std::make_unique<boost::asio::steady_timer>(context_, kPlannerPause);
  restart_->async_wait([this](ErrorCode problem) {
    if (!problem) start();
  });
}

}  // namespace skde::service
