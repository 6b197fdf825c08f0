#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/report/work_forecast.hpp"
#include "service/store/data_folder.hpp"
#include "service/worker/worker_link.hpp"

namespace skde::service {

/// What a run is predicted to need, by the command itself and the offers of the engines.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct RunForecast : WorkForecast {
  std::optional<nlohmann::ordered_json> refusal;  ///< why it can never run here
};

/// A worker that only plans: it begins runs while the others are busy, up to the point where they
/// predict their cost. It is replaced if it neither answers nor stops.
class RunPlanner {
 public:
  using Told = std::function<void(const RunForecast&)>;

  RunPlanner(boost::asio::io_context& context, const DataFolder& folder)
      : context_(context), folder_(folder) {}
  void start();
  void stop();
  /// Calls `told` once, with an empty forecast if the answer takes too long, or
  /// that of an earlier question does.
  void ask(const nlohmann::ordered_json& order, Told told);

 private:
  struct Question {
    Told told;  ///< null after a timeout, when the planner is to stop
    std::unique_ptr<boost::asio::steady_timer> timer;
  };

  void expect_answer(std::uint64_t number);
  void on_late(std::uint64_t number);
  void on_message(const nlohmann::ordered_json& json);
  void on_end();
  void answer(std::uint64_t number, const RunForecast& forecast);

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  std::shared_ptr<WorkerLink> link_;
  std::unique_ptr<boost::asio::steady_timer> restart_;
  std::map<std::uint64_t, Question> questions_;
  std::uint64_t next_ = 1;
  bool closed_ = false;
};

}  // namespace skde::service
