#include "service/http/access_tokens.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/report/error.hpp"
#include "service/http/http_message.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

constexpr std::size_t kShortest = 16;

/// Compares without branching on the contents, so that the time does not reveal them.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  volatile unsigned result = difference;
  return result == 0;
}

}  // namespace

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorKind::resources, "the system provides no random numbers; check /dev/urandom");
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

AccessTokens AccessTokens::from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::input, fmt::format("{}: cannot be read", path), {"token_file"});
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IROTH | S_IWOTH)) != 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: all users of this machine may read or write it", path),
                {"token_file", fmt::format("remove their permissions: chmod o= {}", path)});
  AccessTokens tokens;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Token token;
    if (!(words >> token.text) || token.text.starts_with('#')) continue;
    if (token.text.size() < kShortest)
      throw Error(ErrorKind::input,
                  fmt::format("{}: a token is shorter than {} characters", path, kShortest),
                  {"token_file"});
    // A default name depends only on the token, so its data stay its own when other lines change.
    if (!(words >> token.name)) token.name = "token-" + content_name(token.text);
    tokens.tokens_.push_back(std::move(token));
  }
  if (tokens.tokens_.empty())
    throw Error(ErrorKind::input, fmt::format("{}: holds no token", path), {"token_file"});
  return tokens;
}

AccessTokens AccessTokens::of_folder(const std::string& folder) {
  const std::string path = folder + "/token";
  if (!std::filesystem::exists(path)) {
    const std::string begun = path + ".part";
    const int file = open(begun.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const std::string line = random_name() + " owner\n";
    const bool written =
        file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        fsync(file) == 0;
    if (file >= 0) close(file);
    if (!written || std::rename(begun.c_str(), path.c_str()) != 0)
      throw Error(ErrorKind::output, fmt::format("{}: cannot be written", path));
  }
  return from_file(path);
}

std::string AccessTokens::owner_of(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (lower_case(authorization.substr(0, kScheme.size())) != kScheme) return "";
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  std::string owner;
  for (const Token& token : tokens_)
    if (equal_in_constant_time(token.text, authorization)) owner = token.name;
  return owner;
}

}  // namespace skde::service
