#include "cli/standard_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.hpp"

namespace skde::cli {

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw Error(ErrorKind::output,
              fmt::format("standard output: cannot be written: {}; redirect it to where there is "
                          "room",
                          std::strerror(errno)));
}

}  // namespace skde::cli
