#include "distributed/unfinished_file.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace skde {
namespace {

std::array<char, 4096> name{};

void remove_it(int signal) {
  if (name[0] != '\0') unlink(name.data());
  _exit(128 + signal);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  name.fill('\0');
  std::strncpy(name.data(), path.c_str(), name.size() - 1);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, remove_it);
}

UnfinishedFile::~UnfinishedFile() { name[0] = '\0'; }

}  // namespace skde
