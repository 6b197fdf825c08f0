#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

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

}  // namespace skde::service
