#pragma once

#include <functional>
#include <map>
#include <string>

#include "service/jobs/job.hpp"
#include "service/jobs/run_queue.hpp"
#include "service/store/storage_thread.hpp"

namespace skde::service {

/// The jobs that clients see, and the table that stores them.
class JobTable {
 public:
  JobTable(StorageThread& storage, const RunQueue& queue) : storage_(storage), queue_(queue) {}
  /// Reads the table. A job whose request this version cannot read gets an exception that says so,
  /// unless it was successful.
  void load(Database& database);
  const std::map<std::string, JobPtr, std::less<>>& all() const { return jobs_; }
  /// Throws Problem (404).
  const JobPtr& at(std::string_view id);
  /// Calls `added` once a new job is in the table.
  void add(const JobPtr& job, StorageThread::Done added);
  /// Removes a job that has ended; calls `done` once the table is written.
  void remove(const JobPtr& job, StorageThread::Done done);
  /// Writes the state of a job to the table, unless only a waiting client knows it.
  void save(const Job& job);
  /// Tells those who watch a job of a change; `status`: not only of its progress.
  void change(const JobPtr& job, bool status);
  void end(const JobPtr& job, JobState state);
  void fail(const JobPtr& job, const std::exception_ptr& thrown);

 private:
  StorageThread& storage_;
  const RunQueue& queue_;
  std::map<std::string, JobPtr, std::less<>> jobs_;
};

}  // namespace skde::service
