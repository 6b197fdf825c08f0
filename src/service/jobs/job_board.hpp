#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "service/answer/service_limits.hpp"
#include "service/jobs/execution_request.hpp"
#include "service/jobs/job_table.hpp"
#include "service/jobs/run_board.hpp"
#include "service/jobs/run_queue.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/result_store.hpp"

namespace skde::service {

/// What clients ask for: it is checked and predicted, and gets a result that exists, or a run.
class JobBoard {
 public:
  JobBoard(boost::asio::io_context& context, CloudShelf& clouds, ResultStore& results,
           StorageThread& storage, const ServiceLimits& limits, JobMetrics& metrics);
  /// Starts the workers; jobs of the table that have not ended go back to the queue.
  void start(StartWorker start_worker);
  JobTable& table() { return table_; }
  RunQueue& queue() { return queue_; }
  RunBoard& runs() { return runs_; }

  /// Adds a job; it is in the table before `accepted` is called. Throws Problem.
  void submit(ExecutionRequest request, const std::string& owner,
              std::function<void(std::exception_ptr, const JobPtr&)> accepted);
  /// Runs a job that no other client sees; `on_end` may be called before this returns. Throws
  /// Problem.
  JobPtr run_now(ExecutionRequest request, const std::string& owner,
                 std::function<void(Job&)> on_end);
  /// Finds the result of a successful job, once its files have been verified. Throws Problem, or
  /// passes one to `found`.
  using Found = std::function<void(const ResultPtr&, const std::exception_ptr&)>;
  void find_result(const JobPtr& job, Found found);
  /// Stops a job that has not ended, or removes one that has; calls `done` once the table is
  /// written.
  void dismiss(const JobPtr& job, StorageThread::Done done);
  /// Returns true if a job that has not ended, or is about to be accepted, names the cloud.
  bool needs_cloud(std::string_view id) const;

 private:
  RunPlan plan(const Job& asking, std::vector<ResultPtr>& named);
  ResultPtr result_of(const Job& job);
  void attach(const JobPtr& job, const RunForecast* forecast = nullptr);
  bool attach_once_read(std::vector<ResultPtr> results, const JobPtr& job,
                        const RunForecast* forecast);
  void forecast_first(const JobPtr& job, TakeForecast then);
  RunForecast judge(const RunForecast& given, const Job& job) const;
  void forecast_later(const RunPtr& run);
  void on_run_forecast(Run& run, const RunForecast& given);
  std::shared_ptr<Job> new_job(ExecutionRequest request, const std::string& owner) const;
  void check_limits(const std::string& owner) const;

  CloudShelf& clouds_;
  ResultStore& results_;
  StorageThread& storage_;
  const ServiceLimits& limits_;
  JobMetrics& metrics_;
  RunQueue queue_;
  JobTable table_;
  RunBoard runs_;
  std::list<JobPtr> coming_;  ///< requested, but not in the table yet
};

}  // namespace skde::service
