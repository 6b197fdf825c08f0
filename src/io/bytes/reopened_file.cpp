#include "io/bytes/reopened_file.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace skde::io {

ReopenedFile::ReopenedFile(BufferedSource source, std::string_view format)
    : source_(std::move(source)) {
  if (source_.descriptor() >= 0) return;
  constexpr std::size_t kPiece = std::size_t{1} << 20, kMost = std::size_t{1} << 30;
  copy_ = memfd_create("skde", MFD_CLOEXEC);
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    close(copy_);
    throw Error(kind, fmt::format("{}: {}", source_.name(), why),
                {{}, "save it to a file, decompressed"});
  };
  std::vector<char> piece(kPiece);
  while (const std::size_t count = source_.read(piece.data(), piece.size())) {
    for (std::size_t done = 0; done < count;) {
      const ssize_t written = ::write(copy_, piece.data() + done, count - done);
      if (written < 0) refuse(ErrorKind::resources, "does not fit into memory");
      done += static_cast<std::size_t>(written);
    }
    if (!format.empty() && source_.position() > kMost)
      refuse(ErrorKind::input,
             fmt::format("{} data of more than 1 GiB can be read only from files", format));
  }
}

ReopenedFile::~ReopenedFile() {
  if (copy_ >= 0) close(copy_);
}

std::string ReopenedFile::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), copy_ >= 0 ? copy_ : source_.descriptor());
}

}  // namespace skde::io
