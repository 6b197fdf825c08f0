#include "service/store/database.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"
#include "service/answer/http_problem.hpp"

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

}  // namespace skde::service
