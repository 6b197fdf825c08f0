#include "io/points/arrays/fits_driver.hpp"

extern "C" {
#include <fitsio2.h>
}

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/report/error.hpp"

// cfitsio opens files by name. A driver, a set of functions for names that begin with "skde://",
// lets it read sources that are already open. The number in such a name identifies the source.

namespace skde::io {
namespace {

class FitsDriver {
 public:
  static int add(std::shared_ptr<ByteSource> bytes) {
    const std::lock_guard lock(mutex());
    static int next = 0;
    sources()[++next] = std::move(bytes);
    return next;
  }
  static int close(int handle) {
    const std::lock_guard lock(mutex());
    sources().erase(handle);
    return 0;
  }
  static int open(char* name, int, int* handle) {
    *handle = std::atoi(name);
    source(*handle).seek(0);
    return 0;
  }
  static int size(int handle, LONGLONG* bytes) {
    *bytes = static_cast<LONGLONG>(source(handle).size().value_or(0));
    return 0;
  }
  static int flush(int) { return 0; }
  static int seek(int handle, LONGLONG position) {
    source(handle).seek(static_cast<std::uint64_t>(position));
    return 0;
  }
  static int read(int handle, void* to, long count) {
    auto* next = static_cast<char*>(to);
    auto left = static_cast<std::size_t>(count);
    try {
      while (const std::size_t got = left > 0 ? source(handle).read(next, left) : 0) {
        next += got;
        left -= got;
      }
    } catch (const Error&) {
      return READ_ERROR;
    }
    return left > 0 ? READ_ERROR : 0;
  }

 private:
  static ByteSource& source(int handle) {
    const std::lock_guard lock(mutex());
    return *sources().at(handle);
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<int, std::shared_ptr<ByteSource>>& sources() {
    static std::map<int, std::shared_ptr<ByteSource>> all;
    return all;
  }
};

int register_driver() {
  fits_init_cfitsio();
  std::string prefix = "skde://";
  return fits_register_driver(prefix.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                              FitsDriver::open, nullptr, nullptr, FitsDriver::close, nullptr,
                              FitsDriver::size, FitsDriver::flush, FitsDriver::seek,
                              FitsDriver::read, nullptr);
}

}  // namespace

int open_fits_bytes(std::shared_ptr<ByteSource> bytes, fitsfile** file) {
  static const int registered = register_driver();
  int status = registered;
  const int handle = FitsDriver::add(std::move(bytes));
  const std::string name = "skde://" + std::to_string(handle);
  fits_open_file(file, name.c_str(), READONLY, &status);
  if (status != 0) FitsDriver::close(handle);
  return status;
}

}  // namespace skde::io
