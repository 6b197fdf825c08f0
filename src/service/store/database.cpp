#include "service/store/database.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <utility>

#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

/// Longest wait for other programs that lock the file, such as those that copy it.
constexpr int kBusyMilliseconds = 5000;

constexpr const char* kTables =
    "PRAGMA auto_vacuum=INCREMENTAL;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA journal_size_limit=4194304;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=1000;"
    "CREATE TABLE IF NOT EXISTS clouds (id TEXT PRIMARY KEY, name TEXT, suffix TEXT, path TEXT,"
    " bytes INTEGER, hash TEXT, owner TEXT, created INTEGER, used INTEGER, stamps TEXT,"
    " metadata TEXT);"
    "CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, name TEXT, length INTEGER,"
    " owner TEXT, created INTEGER, metadata TEXT);"
    "CREATE TABLE IF NOT EXISTS served (id INTEGER PRIMARY KEY, began INTEGER, last INTEGER);"
    "CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, process TEXT, request TEXT, owner TEXT,"
    " state TEXT, key TEXT, exception TEXT, attempts INTEGER, cached INTEGER, created INTEGER,"
    " started INTEGER, finished INTEGER);";

/// Adds a column that a table of an older version lacks.
bool add_column(sqlite3* database, const char* table, const char* column) {
  if (sqlite3_table_column_metadata(database, nullptr, table, column, nullptr, nullptr, nullptr,
                                    nullptr, nullptr) == SQLITE_OK)
    return true;
  const std::string text = fmt::format("ALTER TABLE {} ADD COLUMN {} TEXT", table, column);
  return sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

/// Largest clock error, or length of a restart, in ms, that does not count as a jump.
constexpr std::int64_t kSmallJump = 300'000;

}  // namespace

Statement::Statement(sqlite3* database, std::string_view text) : database_(database) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &made, nullptr) !=
      SQLITE_OK)
    throw Problem(500, "internal", fmt::format("the table of jobs: {}", sqlite3_errmsg(database)));
  statement_.reset(made);
}

void Statement::bind(int place, std::string_view text) {
  sqlite3_bind_text(statement_.get(), place, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
}

void Statement::bind(int place, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), place, number);
}

bool Statement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  const int cause = result & 0xff;
  if (cause == SQLITE_FULL) throw Problem(507, "disk", "the disk of the service is full");
  if (cause == SQLITE_IOERR)
    throw Problem(507, "disk", "the disk of the service cannot be written to");
  if (cause == SQLITE_BUSY)
    throw Problem(503, "busy", "another program holds the table of jobs; try again later")
        .with("Retry-After", "5");
  throw Problem(500, "internal", fmt::format("the table of jobs: {}", sqlite3_errmsg(database_)));
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int count = sqlite3_column_bytes(statement_.get(), column);
  return bytes ? std::string(bytes, static_cast<std::size_t>(count)) : std::string();
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Database::Database(const std::string& path) {
  sqlite3* made = nullptr;
  const int opened =
      sqlite3_open_v2(path.c_str(), &made,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(made);
  if (made) sqlite3_busy_timeout(made, kBusyMilliseconds);
  if (opened == SQLITE_OK && sqlite3_exec(made, kTables, nullptr, nullptr, nullptr) == SQLITE_OK &&
      add_column(made, "clouds", "stamps") && add_column(made, "clouds", "metadata") &&
      add_column(made, "uploads", "metadata")) {
    const auto told = [&](std::string_view pragma) {
      Statement answer = prepare(pragma);
      return answer.step() ? answer.text(0) : std::string();
    };
    if (const std::string found = told("PRAGMA quick_check(1)"); found != "ok")
      throw Error(ErrorKind::input, fmt::format("{}: is damaged: {}", path, found),
                  {"data", kMendDatabase});
    // A table of an older version keeps the pages of removed rows; on a full disk it goes on so.
    if (told("PRAGMA auto_vacuum") == "0") sqlite3_exec(made, "VACUUM", nullptr, nullptr, nullptr);
    return;
  }
  const int code = made ? sqlite3_errcode(made) : SQLITE_NOMEM;
  const bool is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  throw Error(
      is_damaged ? ErrorKind::input : ErrorKind::output,
      fmt::format("{}: cannot be opened: {}", path, made ? sqlite3_errmsg(made) : "out of memory"),
      is_damaged ? ErrorAdvice{"data", kMendDatabase} : ErrorAdvice{});
}

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

void ServedTime::run(std::int64_t now, std::int64_t steady) {
  const std::int64_t passed = steady_ < 0 ? 0 : steady - steady_;
  steady_ = steady;
  if (spans_.empty() || std::abs(now - (spans_.back().last + passed)) > kSmallJump)
    spans_.push_back({now, now});
  else
    spans_.back().last = std::max(spans_.back().last, now);
}

std::int64_t ServedTime::since(std::int64_t used) const {
  std::int64_t served = 0;
  for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
    if (used >= span->begin && used <= span->last + kSmallJump)
      return served + std::max<std::int64_t>(0, span->last - used);
    served += span->last - span->begin;
  }
  // The time is in no span: count the newest spans, back to the first one that ended before it.
  served = 0;
  for (auto span = spans_.rbegin(); span != spans_.rend() && used <= span->last; ++span)
    served += span->last - span->begin;
  return served;
}

void ServedTime::forget_before(std::int64_t served) {
  std::size_t kept = 0;
  while (kept < spans_.size() && served >= 0) {
    ++kept;
    const Span& span = spans_[spans_.size() - kept];
    served -= span.last - span.begin;
  }
  spans_.erase(spans_.begin(), spans_.end() - static_cast<std::ptrdiff_t>(kept));
}

void ServedTime::load(Database& database) {
  spans_.clear();
  Statement rows = database.prepare("SELECT began, last FROM served ORDER BY id");
  while (rows.step()) spans_.push_back({rows.number(0), rows.number(1)});
}

void ServedTime::save(Database& database) const {
  database.run("DELETE FROM served");
  for (const Span& span : spans_)
    database.run("INSERT INTO served (began, last) VALUES (?, ?)", span.begin, span.last);
}

}  // namespace skde::service
