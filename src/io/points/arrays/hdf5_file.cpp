#include "io/points/arrays/hdf5_file.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "core/report/error.hpp"
#include "io/hdf5_storage.hpp"

namespace skde::io {

Hdf5Handle open_hdf5_file(BufferedSource& source) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are told here
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  hid_t file = -1;
  if (const std::string path = source.path(); !path.empty()) {
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  } else {
    std::string bytes = read_whole(
        source,
        Error(ErrorKind::input,
              fmt::format("{}: HDF5 of more than 1 GiB is read from files alone", source.name()),
              {{}, "save it to a file, unpacked"}));
    H5Pset_fapl_core(access.id(), std::size_t{1} << 16, false);
    if (H5Pset_file_image(access.id(), bytes.data(), bytes.size()) >= 0)
      file = H5Fopen("memory", H5F_ACC_RDONLY, access.id());
  }
  Hdf5Handle opened(file, H5Fclose);
  const std::optional<std::string> elsewhere =
      opened ? storage_elsewhere(opened.id()) : std::nullopt;
  if (!elsewhere)
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read as HDF5; it is cut short or broken", source.name()),
                {{}, "fetch it again"});
  if (!elsewhere->empty())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: cannot be read as HDF5: it has {}, so that its values are in other "
                    "files",
                    source.name(), *elsewhere),
        {{}, "copy them into it with 'h5repack'"});
  return opened;
}

}  // namespace skde::io
