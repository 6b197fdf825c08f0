#pragma once

#include <fmt/core.h>
#include <netcdf.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {

/// An open file; its calls turn error codes of the library into Errors of one kind that name the
/// file.
class NetcdfFile {
 public:
  NetcdfFile(std::string name, ErrorKind kind) : name_(std::move(name)), kind_(kind) {}
  ~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
  }
  NetcdfFile(NetcdfFile&& other) noexcept
      : name_(std::move(other.name_)), kind_(other.kind_), id_(std::exchange(other.id_, -1)) {}
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  void create(const std::string& path) { check(nc_create(path.c_str(), NC_NETCDF4, &id_)); }
  void open(const std::string& path) { check(nc_open(path.c_str(), NC_NOWRITE, &id_)); }
  /// Writes buffered data; if that fails, the file can still be closed.
  void flush() const { check(nc_sync(id_)); }
  /// A failure to close counts as a failure to write the file.
  void close() { check(nc_close(std::exchange(id_, -1))); }

  int id() const { return id_; }
  void check(int code) const {
    if (code != NC_NOERR) fail(nc_strerror(code));
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(kind_, fmt::format("{}: {}: {}", name_,
                                   kind_ == ErrorKind::output ? "cannot be written as NetCDF"
                                                              : "cannot be read as a NetCDF volume",
                                   what));
  }

 private:
  std::string name_;
  ErrorKind kind_;
  int id_ = -1;
};

}  // namespace skde::io
