#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/answer/http_problem.hpp"
#include "service/answer/service_limits.hpp"
#include "service/jobs/execution_request.hpp"
#include "service/jobs/job.hpp"
#include "service/jobs/run_plan.hpp"
#include "service/jobs/run_queue.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/result_store.hpp"
#include "service/store/storage_thread.hpp"

namespace skde::service {

/// All jobs, the runs that compute their results, and the table that stores them.
class JobBoard {
 public:
  JobBoard(boost::asio::io_context& context, CloudShelf& clouds, ResultStore& results,
           StorageThread& storage, const ServiceLimits& limits, JobMetrics& metrics);
  /// Loads the jobs of the table; those that have not ended go back to the queue.
  void load(Database& database);
  void start(StartWorker start_worker);

  /// Adds a job; it is in the table before `accepted` is called. Throws Problem.
  void submit(ExecutionRequest request, const std::string& owner,
              std::function<void(std::exception_ptr, const JobPtr&)> accepted);
  /// Runs a job that no other client sees; `on_end` may be called before this returns. Throws
  /// Problem.
  JobPtr run_now(ExecutionRequest request, const std::string& owner,
                 std::function<void(Job&)> on_end);
  /// Throws Problem (404).
  const JobPtr& at(std::string_view id);
  /// Finds the result of a successful job, once its files have been verified. Throws Problem, or
  /// passes one to `found`.
  using Found = std::function<void(const ResultPtr&, const std::exception_ptr&)>;
  void find_result(const JobPtr& job, Found found);
  /// Stops a job that has not ended, or removes one that has; calls `done` once the table is
  /// written.
  void dismiss(const JobPtr& job, StorageThread::Done done);
  const std::map<std::string, JobPtr, std::less<>>& all() const { return jobs_; }
  RunQueue& queue() { return queue_; }
  /// Returns true if a job that has not ended, or is about to be accepted, names the cloud.
  bool needs_cloud(std::string_view id) const;
  /// Begins no more runs; calls `drained` once none is left. The next service repeats runs that are
  /// stopped before.
  void drain(std::function<void()> drained);
  /// Takes back the attempts of runs that an orderly end interrupts, as they have not crashed.
  void take_back_attempts();

 private:
  /// A run and the jobs that wait for it; there are none if all have been served already.
  struct Awaited {
    std::shared_ptr<Run> run;
    std::vector<JobPtr> jobs;
    ResultPtr result{};  ///< in place, and being written to the disk
  };
  using Waiting = std::map<std::string, Awaited>;  ///< by the key of the run

  Waiting::iterator waiting_for(const Run& run);
  RunPlan plan(const Job& asking, std::vector<ResultPtr>& named);
  ResultPtr result_of(const Job& job);
  void attach(const JobPtr& job, const RunForecast* forecast = nullptr);
  bool attach_once_read(std::vector<ResultPtr> results, const JobPtr& job,
                        const RunForecast* forecast);
  void read_first(std::vector<ResultPtr> results,
                  std::function<void(const std::exception_ptr&)> then);
  void forecast_first(const JobPtr& job, TakeForecast then);
  RunForecast judge(const RunForecast& given, const Job& job) const;
  void forecast_later(const std::shared_ptr<Run>& run);
  void on_run_forecast(Run& run, const RunForecast& given);
  void leave_run(const JobPtr& job);
  void keep_new(const JobPtr& job, const RunForecast& forecast,
                std::function<void(std::exception_ptr, const JobPtr&)> accepted);
  std::shared_ptr<Job> new_job(ExecutionRequest request, const std::string& owner) const;
  void end(const JobPtr& job, JobState state);
  void fail(const JobPtr& job, const std::exception_ptr& thrown);
  void save(const Job& job);
  void on_run_news(Run& run);
  void on_run_end(const std::shared_ptr<Run>& run);
  void serve_at_once(Awaited& awaited);
  void sync(const std::shared_ptr<Run>& run, std::function<void()> work,
            std::function<void()> then);
  void put_in_place(const std::shared_ptr<Run>& run);
  void on_synced(const std::shared_ptr<Run>& run);
  ResultPtr keep_result(Run& run, const std::string& folder);
  bool works() const { return queue_.running() > 0 || syncing_ > 0; }
  void end_waiting();
  void change(const JobPtr& job, bool status);
  /// Throws Problem if this owner has reached the limit of jobs.
  void check_limits(const std::string& owner) const;

  boost::asio::io_context& context_;
  CloudShelf& clouds_;
  ResultStore& results_;
  StorageThread& storage_;
  const ServiceLimits& limits_;
  JobMetrics& metrics_;
  RunQueue queue_;
  std::size_t syncing_ = 0;  ///< runs whose files are being written to the disk
  std::map<std::string, JobPtr, std::less<>> jobs_;
  Waiting waiting_;
  std::list<JobPtr> coming_;        ///< requested, but not in the table yet
  std::vector<JobPtr> unfinished_;  ///< from the previous service, until start()
  std::function<void()> drained_;
  boost::asio::thread_pool disk_{1};  ///< waits for the disk
};

}  // namespace skde::service
