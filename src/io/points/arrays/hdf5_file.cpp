#include "io/points/arrays/hdf5_file.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>

#include "core/report/error.hpp"
#include "io/hdf5_driver.hpp"
#include "io/hdf5_storage.hpp"

namespace skde::io {

Hdf5Handle open_hdf5_file(BufferedSource source) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // skde reports the errors itself
  const std::string name = source.name();
  const Error too_large(
      ErrorKind::input,
      fmt::format("{}: HDF5 data of more than 1 GiB can be read only from files", name),
      {{}, "save it to a file, decompressed"});
  Hdf5Handle opened = open_hdf5_bytes(seekable_bytes(std::move(source), too_large));
  const std::optional<std::string> elsewhere =
      opened ? storage_elsewhere(opened.id()) : std::nullopt;
  if (!elsewhere)
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read as HDF5; the file is truncated or broken", name),
                {{}, "fetch it again"});
  if (!elsewhere->empty())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: cannot be read as HDF5: it has {}, so its values are in other files", name,
                    *elsewhere),
        {{}, "copy them into it with 'h5repack'"});
  return opened;
}

}  // namespace skde::io
