#include "io/points/hdf5_file.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // that are held in memory

std::string read_whole(BufferedSource& source) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::string bytes;
  std::size_t got = kStep;
  while (got == kStep) {
    const std::size_t have = bytes.size();
    bytes.resize(have + kStep);
    got = source.read(bytes.data() + have, kStep);
    bytes.resize(have + got);
    if (bytes.size() > kMostBytes)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: HDF5 of more than 1 GiB is read from files alone", source.name()),
          {{}, "save it to a file, unpacked"});
  }
  return bytes;
}

}  // namespace

Hdf5Handle open_hdf5_file(BufferedSource& source) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are told here
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  hid_t file = -1;
  if (const std::string path = source.path(); !path.empty()) {
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  } else {
    std::string bytes = read_whole(source);
    H5Pset_fapl_core(access.id(), std::size_t{1} << 16, false);
    if (H5Pset_file_image(access.id(), bytes.data(), bytes.size()) >= 0)
      file = H5Fopen("memory", H5F_ACC_RDONLY, access.id());
  }
  if (file < 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be read as HDF5; it is cut short or broken", source.name()),
                {{}, "fetch it again"});
  return {file, H5Fclose};
}

}  // namespace skde::io
