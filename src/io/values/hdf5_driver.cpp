#include "io/values/hdf5_handle.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/report/error.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

// libhdf5 opens files by name. A driver, a table of functions, lets it read sources that are
// already open; see "HDF5 Virtual File Layer" in its documentation.

namespace skde::io {
namespace {

/// What the driver finds in the file access properties, which libhdf5 copies byte by byte.
struct Access {
  const std::shared_ptr<ByteSource>* bytes;
};

struct DrivenFile : H5FD_t {
  explicit DrivenFile(std::shared_ptr<ByteSource> source)
      : H5FD_t{}, bytes(std::move(source)), size(bytes->size().value_or(0)) {}
  static DrivenFile& of(H5FD_t* file) { return *static_cast<DrivenFile*>(file); }
  static const DrivenFile& of(const H5FD_t* file) { return *static_cast<const DrivenFile*>(file); }

  static H5FD_t* open(const char*, unsigned, hid_t properties, haddr_t) {
    const auto* const access = static_cast<const Access*>(H5Pget_driver_info(properties));
    return access == nullptr ? nullptr : new DrivenFile(*access->bytes);
  }
  static herr_t close(H5FD_t* file) {
    delete &of(file);
    return 0;
  }
  /// With these flags libhdf5 reads many rows of a table's column at once, not number by number.
  static herr_t query(const H5FD_t*, unsigned long* features) {
    if (features != nullptr) *features = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
  }
  static haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_addresses; }
  static herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    of(file).end_of_addresses = address;
    return 0;
  }
  static haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return of(file).size; }
  /// Past the end of the file the bytes are zeros, as with libhdf5's own drivers.
  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t count,
                     void* to) {
    ByteSource& source = *of(file).bytes;
    auto* next = static_cast<char*>(to);
    try {
      source.seek(address);
      while (const std::size_t got = count > 0 ? source.read(next, count) : 0) {
        next += got;
        count -= got;
      }
    } catch (const Error&) {
      return -1;
    }
    std::memset(next, 0, count);
    return 0;
  }
  static herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

  std::shared_ptr<ByteSource> bytes;
  haddr_t size, end_of_addresses = 0;
};

H5FD_class_t driver_functions() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
  driver.name = "skde";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Access);
  driver.open = DrivenFile::open;
  driver.close = DrivenFile::close;
  driver.query = DrivenFile::query;
  driver.get_eoa = DrivenFile::get_eoa;
  driver.set_eoa = DrivenFile::set_eoa;
  driver.get_eof = DrivenFile::get_eof;
  driver.read = DrivenFile::read;
  driver.write = DrivenFile::write;
  return driver;
}

}  // namespace

Hdf5Handle open_hdf5_bytes(const std::shared_ptr<ByteSource>& bytes) {
  static const H5FD_class_t functions = driver_functions();
  static const hid_t driver = H5FDregister(&functions);
  const Hdf5Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Access access{&bytes};
  H5Pset_driver(properties.id(), driver, &access);
  return {H5Fopen(bytes->name().c_str(), H5F_ACC_RDONLY, properties.id()), H5Fclose};
}

}  // namespace skde::io
