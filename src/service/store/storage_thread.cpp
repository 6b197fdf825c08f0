#include "service/store/storage_thread.hpp"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "service/answer/http_problem.hpp"

namespace skde::service {

void run_aside(boost::asio::thread_pool& threads, boost::asio::io_context& context,
               std::function<void()> work, std::function<void(const std::exception_ptr&)> then) {
  boost::asio::post(threads, [&context, work = std::move(work), then = std::move(then)]() mutable {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    boost::asio::post(context, [failure, then = std::move(then)] { then(failure); });
  });
}

StorageThread::StorageThread(const std::string& path, boost::asio::io_context& context)
    : database_(path), context_(context), thread_([this] { loop(); }) {}

StorageThread::~StorageThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void StorageThread::post(Work work, Done done) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(work), std::move(done)});
  }
  asked_.notify_one();
}

void StorageThread::remove(const std::string& statement, const std::string& id,
                           const std::string& path, Done done) {
  const Work remove_row = [statement, id](Database& database) { database.run(statement, id); };
  const auto unlink_file = [path] {
    if (!path.empty()) unlink(path.c_str());
  };
  post(remove_row,
       [this, remove_row, unlink_file, done = std::move(done)](const std::exception_ptr& failure) {
         if (failure && Problem::of(failure).status() != 507) {
           if (done) done(failure);
           return;
         }
         post(
             [failure, remove_row, unlink_file](Database& database) {
               unlink_file();
               if (failure) remove_row(database);
             },
             done);
       });
}

void StorageThread::loop() {
  while (true) {
    std::vector<Task> tasks;
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      tasks.swap(tasks_);
    }
    run(tasks);
    // Posts each by itself, so that one that fails does not affect the others.
    for (Task& task : tasks)
      boost::asio::post(context_, [task = std::move(task)] {
        if (task.done) task.done(task.failure);
      });
  }
}

/// A task that fails is rolled back alone; if the commit fails, all tasks have failed.
void StorageThread::run(std::vector<Task>& tasks) {
  try {
    database_.run("BEGIN IMMEDIATE");
    for (Task& task : tasks) {
      database_.run("SAVEPOINT task");
      try {
        task.work(database_);
      } catch (...) {
        task.failure = std::current_exception();
        database_.run("ROLLBACK TO task");
      }
      database_.run("RELEASE task");
    }
    database_.run("COMMIT");
  } catch (...) {
    for (Task& task : tasks)
      if (!task.failure) task.failure = std::current_exception();
    try {
      database_.run("ROLLBACK");
    } catch (const std::exception&) {  // there is no transaction any more
    }
  }
}

}  // namespace skde::service
