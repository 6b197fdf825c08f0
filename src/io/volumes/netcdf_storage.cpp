#include "io/volumes/netcdf_storage.hpp"

#include <hdf5.h>

#include <fmt/format.h>

#include <utility>

#include "io/text_fields.hpp"
#include "io/volumes/refused_volume.hpp"

namespace skde::io {
namespace {

/// An identifier of the library that is closed with its owner.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The library prints its errors unless it is told not to.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// What a file says of storage elsewhere; empty: nothing.
struct Findings {
  std::string elsewhere;
};

std::string storage_of(hid_t group, const char* name) {
  const Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  if (!object) return "a part that cannot be opened";
  if (H5Iget_type(object.id()) != H5I_DATASET) return "";
  const Handle plan(H5Dget_create_plist(object.id()), H5Pclose);
  if (!plan) return "a part that cannot be read";
  if (H5Pget_external_count(plan.id()) != 0) return "external storage";
  if (H5Pget_layout(plan.id()) == H5D_VIRTUAL) return "virtual storage";
  return "";
}

herr_t look_at(hid_t group, const char* name, const H5L_info_t* link, void* findings) {
  std::string& elsewhere = static_cast<Findings*>(findings)->elsewhere;
  if (link->type == H5L_TYPE_HARD)
    elsewhere = storage_of(group, name);
  else if (link->type != H5L_TYPE_SOFT)
    elsewhere = "an external link";
  if (elsewhere.empty()) return 0;
  elsewhere = fmt::format("{} ({})", elsewhere, excerpt(name));
  return 1;
}

}  // namespace

void require_own_storage(const std::string& path) {
  const QuietErrors quiet;
  if (H5Fis_hdf5(path.c_str()) <= 0) return;  // of the classic formats, or not NetCDF at all
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  Findings findings;
  if (!file || H5Lvisit(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, look_at, &findings) < 0)
    refuse_volume(path, "cannot be read as NetCDF volume: it is broken or cut short");
  if (!findings.elsewhere.empty())
    refuse_volume(path,
                  fmt::format("cannot be read as NetCDF volume: it has {}, so that its values are "
                              "in other files",
                              findings.elsewhere),
                  "copy them into it ('nccopy', 'h5repack')");
}

}  // namespace skde::io
