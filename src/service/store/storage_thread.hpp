#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/store/database.hpp"

namespace skde::service {

/// The thread that waits for the disk, so that connections do not. What is asked of it is done in
/// order; what has come meanwhile is one transaction.
class StorageThread {
 public:
  using Work = std::function<void(Database&)>;
  /// Gets what the work, or the commit, threw; null where all is on the disk.
  using Done = std::function<void(std::exception_ptr)>;

  StorageThread(const std::string& path, boost::asio::io_context& context);
  /// Does first what was asked.
  ~StorageThread();
  StorageThread(const StorageThread&) = delete;
  StorageThread& operator=(const StorageThread&) = delete;

  /// `done` is called on the thread of the context; it may be empty.
  void post(Work work, Done done = {});
  /// Removes a row by a statement with its ID, and then its file, where a path is named: a row
  /// without its file would be a loss. On a full disk the file goes first, as the table wants room
  /// for that.
  void remove(const std::string& statement, const std::string& id, const std::string& path,
              Done done);
  /// What waits or is being done, for the metrics.
  std::size_t waiting() const;

 private:
  struct Task {
    Work work;
    Done done;
    std::exception_ptr failure{};
  };
  void loop();
  void run(std::vector<Task>& tasks);

  Database database_;
  boost::asio::io_context& context_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<Task> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace skde::service
