#include "service/run_planner.hpp"

#include <chrono>
#include <utility>

#include "engines/registry.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::chrono::milliseconds kPause{200};
constexpr std::string_view kEngine = "--engine=";

/// The engine that the request names, or that the session would take.
RunForecast forecast_of(const Json& offers, const std::string& named) {
  RunForecast forecast;
  forecast.volume_bytes = offers["grid"]["bytes"].get<double>();
  for (const Json& offer : offers["offers"]) {
    const bool meant = named.empty() ? offer.value("chosen", false) : offer["name"] == named;
    if (!meant || !offer.value("serves", false)) continue;
    forecast.seconds = offer["seconds"]["total"].get<double>();
    forecast.host_bytes = offer["memory"]["host"].get<double>();
    forecast.on_device =
        engine_entry(offer["name"].get<std::string>()).traits.device == Device::cuda;
  }
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
  auto timer = std::make_unique<boost::asio::steady_timer>(context_, kPatience);
  timer->async_wait([this, number](ErrorCode problem) {
    if (problem) return;
    link_->send({{"cancel", number}});
    answer(number, {});
  });
  questions_[number] = {std::move(told), {}, std::move(timer)};
  Json question{
      {"run", number},           {"process", "engines"},      {"folder", ""},
      {"command_line", ""},      {"request", Json::object()}, {"files", Json::object()},
      {"names", order["names"]}, {"inputs", Json::object()},  {"arguments", Json::array()}};
  Json& arguments = question["arguments"];
  for (const Json& argument : order["arguments"]) {
    const auto text = argument.get<std::string>();
    if (text.starts_with(kEngine)) questions_[number].engine = text.substr(kEngine.size());
    if (text.starts_with("--output=")) continue;
    arguments.push_back(arguments.empty() ? "--for=" + text : text);
  }
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
  if (const auto result = json.find("result"); result != json.end()) {
    const auto found = questions_.find(number);
    if (found == questions_.end()) return;
    return answer(number, forecast_of((*result)["values"]["summary"], found->second.engine));
  }
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
  restart_ = std::make_unique<boost::asio::steady_timer>(context_, kPause);
  restart_->async_wait([this](ErrorCode problem) {
    if (!problem) start();
  });
}

}  // namespace skde::service
