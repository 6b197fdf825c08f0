#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "service/jobs/job_table.hpp"
#include "service/jobs/run_plan.hpp"
#include "service/jobs/run_queue.hpp"
#include "service/store/result_store.hpp"

namespace skde::service {

/// A run and the jobs that wait for it; there are none if all have been served already.
struct AwaitedRun {
  RunPtr run;
  std::vector<JobPtr> jobs;
  ResultPtr result{};  ///< in place, and being written to the disk
};

/// The runs that jobs wait for, until their results are on the disk.
class RunBoard {
 public:
  using Waiting = std::map<std::string, AwaitedRun>;  ///< by the key of the run

  RunBoard(boost::asio::io_context& context, const DataFolder& folder, ResultStore& results,
           RunQueue& queue, JobTable& table, JobMetrics& metrics)
      : context_(context),
        folder_(folder),
        results_(results),
        queue_(queue),
        table_(table),
        metrics_(metrics) {}
  /// `forecast` takes what the worker of a run predicts.
  void start(StartWorker start_worker, std::function<void(Run&, const RunForecast&)> forecast);
  const Waiting& waiting() const { return waiting_; }
  /// Returns the jobs that wait for exactly this run; none for a stopped one.
  std::vector<JobPtr> jobs_of(const Run& run);
  /// Lets a job wait for its run. Returns a run that is new, else null.
  RunPtr await(const JobPtr& job, RunPlan planned);
  /// Stops the run of a job if no other job waits for its end.
  void leave(const JobPtr& job);
  /// Verifies results that an earlier service has written, or that have been changed, by reading
  /// them once, on a thread that may wait for the disk.
  void read_first(const std::vector<ResultPtr>& results,
                  std::function<void(const std::exception_ptr&)> then);
  /// Ends the jobs of waiting clients whose runs will not begin any more.
  void end_waiting();
  /// Begins no more runs; calls `drained` once none is left. The next service repeats runs that are
  /// stopped before.
  void drain(std::function<void()> drained);
  /// Takes back the attempts of runs that an orderly end interrupts, as they have not crashed.
  void take_back_attempts();

 private:
  Waiting::iterator find(const Run& run);
  void on_news(Run& run);
  bool on_stream(const Run& run, const nlohmann::ordered_json& told);
  void on_end(const RunPtr& run);
  void serve_at_once(AwaitedRun& awaited);
  void sync(const RunPtr& run, std::function<void()> work, std::function<void()> then);
  void put_in_place(const RunPtr& run);
  void on_synced(const RunPtr& run);
  ResultPtr keep_result(Run& run, bool on_disk);
  bool works() const { return queue_.running() > 0 || syncing_ > 0; }

  boost::asio::io_context& context_;
  const DataFolder& folder_;
  ResultStore& results_;
  RunQueue& queue_;
  JobTable& table_;
  JobMetrics& metrics_;
  Waiting waiting_;
  std::size_t syncing_ = 0;  ///< runs whose files are being written to the disk
  std::function<void()> drained_;
  boost::asio::thread_pool disk_{1};  ///< waits for the disk
};

}  // namespace skde::service
