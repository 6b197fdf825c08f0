#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <utility>

namespace skde::io {

/// An object of libhdf5, closed in the destructor.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Opens an HDF5 file, read-only, whether or not another program has locked it. One without a name
/// of its own is `copied` into memory, as libhdf5 looks for the name of a file that it reads.
/// Returns an empty handle if libhdf5 cannot open it.
Hdf5Handle open_hdf5_path(const std::string& path, bool copied = false);

/// HDF5 files, and so NetCDF-4 files, may keep their values in other files: any file of the machine
/// could be read as numbers. Returns what in an open file does so, as "external storage
/// ('density')"; empty if nothing does, unset if the file is broken.
std::optional<std::string> storage_elsewhere(hid_t file);

}  // namespace skde::io
