#include "service/store/access_tokens.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

constexpr std::size_t kShortest = 16;

}  // namespace

/// Reads a token, and the rest of the line without the blanks around it as its name.
AccessTokens::Token AccessTokens::token_of(std::string_view line) {
  line = io::trimmed(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  return {std::string(line.substr(0, end)), std::string(io::trimmed(line.substr(end)))};
}

std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorKind::resources, "the system provides no random numbers; check /dev/urandom");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
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
  for (int number = 1; std::getline(file, line); ++number) {
    const auto refuse = [&](const std::string& why, const std::string& advice) {
      throw Error(ErrorKind::input, fmt::format("{}: line {}: {}", path, number, why),
                  {"token_file", advice});
    };
    if (line.starts_with("\xEF\xBB\xBF"))
      refuse("a byte order mark comes before the token", "save the file as UTF-8 without it");
    Token token = token_of(line);
    if (token.text.empty() || token.text.starts_with('#')) continue;
    if (token.text.size() < kShortest)
      refuse(fmt::format("the token is shorter than {} characters", kShortest),
             "use a longer random one");
    const auto same = std::ranges::find(tokens.tokens_, token.text, &Token::text);
    if (same != tokens.tokens_.end())
      refuse(fmt::format("the token is that of '{}', too", same->name),
             "give each owner a token of its own");
    // A default name depends only on the token, so its data stay its own when other lines change.
    if (token.name.empty()) token.name = "token-" + content_name(token.text);
    tokens.owners_.insert(token.name);
    tokens.tokens_.push_back(std::move(token));
  }
  if (tokens.tokens_.empty())
    throw Error(ErrorKind::input, fmt::format("{}: holds no token", path), {"token_file"});
  return tokens;
}

AccessTokens AccessTokens::read(const std::string& file, const std::string& folder) {
  if (!file.empty()) return from_file(file);
  const std::string path = folder + "/token";
  if (!std::filesystem::exists(path)) {
    const std::string begun = path + ".part";
    const int made = open(begun.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const std::string line = random_name() + " owner\n";
    const bool written =
        made >= 0 && write(made, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        fsync(made) == 0;
    if (made >= 0) close(made);
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
    if (token.text.size() == authorization.size() &&
        CRYPTO_memcmp(token.text.data(), authorization.data(), authorization.size()) == 0)
      owner = token.name;
  return owner;
}

}  // namespace skde::service
