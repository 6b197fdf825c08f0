#pragma once

#include <sqlite3.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace skde::service {

/// A statement with its values, run row by row.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view text);

  void bind(int place, std::string_view text);
  void bind(int place, std::int64_t number);
  /// Returns false after the last row. Throws Problem: 507 if the disk is full, 503 if another
  /// program keeps the file locked, else 500.
  bool step();
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

/// The suggestion for a damaged file.
inline constexpr const char* kMendDatabase =
    "repair it with sqlite3's '.recover', or restore an older copy";

/// An SQLite file with a write-ahead log; every commit is synced to the disk.
class Database {
 public:
  /// Creates the file and its tables if they do not exist. Throws Error(output) if that fails,
  /// Error(input) if the file is damaged.
  explicit Database(const std::string& path);
  Statement prepare(std::string_view text) { return {handle_.get(), text}; }
  /// Runs a statement with these values, in the order of their places.
  template <class... Values>
  void run(std::string_view text, const Values&... values) {
    Statement statement = prepare(text);
    [[maybe_unused]] const auto bound = [](const auto& value) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>)
        return static_cast<std::int64_t>(value);
      else
        return std::string_view(value);
    };
    int place = 0;
    (statement.bind(++place, bound(values)), ...);
    statement.step();
  }
  /// Returns the room of removed rows to the file system.
  void shrink() {
    for (Statement pages = prepare("PRAGMA incremental_vacuum(4096)"); pages.step();) continue;
  }

 private:
  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Closer> handle_;
};

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

/// Records when the service has run, by the machine's clock. Unused data age only while the service
/// runs, so that a wrong clock or months without power remove nothing. All times are in
/// milliseconds; those of the clock count from 1970.
class ServedTime {
 public:
  /// Records that the service runs at `now`; `steady` is the same time on a clock that is never
  /// set.
  void run(std::int64_t now, std::int64_t steady);
  /// Returns how long the service has run since `used`. If the clock has jumped, the result is
  /// rather too small than too large.
  std::int64_t since(std::int64_t used) const;
  /// Removes spans older than this amount of service time.
  void forget_before(std::int64_t served);

  // Read and write their table. Throw Problem.
  void load(Database& database);
  void save(Database& database) const;

 private:
  /// A span without a gap and without a jump of the clock.
  struct Span {
    std::int64_t begin = 0, last = 0;
  };

  std::vector<Span> spans_;   ///< newest last
  std::int64_t steady_ = -1;  ///< at the last run(); -1 before it
};

}  // namespace skde::service
