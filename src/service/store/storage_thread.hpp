#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/store/database.hpp"

namespace skde::service {

/// Does some work on other threads, and calls `then` on the thread of the context with its
/// exception, or null.
void run_aside(boost::asio::thread_pool& threads, boost::asio::io_context& context,
               std::function<void()> work, std::function<void(const std::exception_ptr&)> then);

/// The thread that waits for the disk, so that connections do not have to. Tasks are run in order;
/// all that are waiting form one transaction.
class StorageThread {
 public:
  using Work = std::function<void(Database&)>;
  /// Called with the exception of the work or the commit; null once all is on the disk.
  using Done = std::function<void(std::exception_ptr)>;

  StorageThread(const std::string& path, boost::asio::io_context& context);
  /// Finishes the pending tasks first.
  ~StorageThread();
  StorageThread(const StorageThread&) = delete;
  StorageThread& operator=(const StorageThread&) = delete;

  /// Calls `done`, which may be empty, on the thread of the context.
  void post(Work work, Done done = {});
  /// Removes a row by a statement with its ID, and then its file, if `path` is not empty, as a row
  /// without its file would be an error. On a full disk the file is removed first, as the table
  /// needs room too.
  void remove(const std::string& statement, const std::string& id, const std::string& path,
              Done done);

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
  std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<Task> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace skde::service
