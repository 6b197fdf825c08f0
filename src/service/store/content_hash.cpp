#include "service/store/content_hash.hpp"

#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <new>

#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }
  void add(std::string_view bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
  }
  std::string digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned count = 0;
    if (EVP_DigestFinal_ex(context_.get(), bytes.data(), &count) != 1) throw std::bad_alloc();
    return fmt::format("{:02x}", fmt::join(bytes.data(), bytes.data() + count, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

class Xxh3 {
 public:
  Xxh3() : state_(XXH3_createState(), XXH3_freeState) {
    if (!state_ || XXH3_128bits_reset(state_.get()) != XXH_OK) throw std::bad_alloc();
  }
  void add(std::string_view bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::string digits() {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

template <class Hash>
std::string hash_of_bytes(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.digits();
}

template <class Hash>
std::string hash_of_file(const std::string& path) {
  const OpenFile file(path);
  Hash hash;
  std::string piece(std::min<std::uint64_t>(1 << 20, file.size() + 1), '\0');
  std::uint64_t at = 0;
  while (const std::size_t count = file.read(piece, at)) {
    hash.add({piece.data(), count});
    at += count;
  }
  if (at != file.size()) throw Problem(507, "disk", "the file cannot be read back");
  return hash.digits();
}

/// Separates the parts of stamps; file names cannot contain it.
constexpr char kStampEnd = '/';

std::string path_beside(const std::string& path, std::string_view name) {
  return (std::filesystem::path(path).parent_path() / name).string();
}

}  // namespace

std::string content_name(std::string_view bytes) { return hash_of_bytes<Sha256>(bytes); }
std::string content_name_of_file(const std::string& path) { return hash_of_file<Sha256>(path); }
std::string check_sum(std::string_view bytes) { return hash_of_bytes<Xxh3>(bytes); }
std::string check_sum_of_file(const std::string& path) { return hash_of_file<Xxh3>(path); }

std::string file_stamp(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return "none";
  return fmt::format("{}:{}:{}.{:09}:{}.{:09}", about.st_ino, about.st_size, about.st_mtim.tv_sec,
                     about.st_mtim.tv_nsec, about.st_ctim.tv_sec, about.st_ctim.tv_nsec);
}

std::string file_stamps(const std::string& path, const std::vector<std::string>& beside) {
  std::string stamps = file_stamp(path);
  for (const std::string& other : beside) {
    const std::string name = std::filesystem::path(other).filename().string();
    stamps += kStampEnd + name + kStampEnd + file_stamp(path_beside(path, name));
  }
  return stamps;
}

std::vector<std::string> names_in(std::string_view stamps) {
  std::vector<std::string> beside;
  std::size_t part = 0;
  for (std::size_t end = 0; end != stamps.npos; ++part) {
    const std::size_t begin = part == 0 ? 0 : end + 1;
    end = stamps.find(kStampEnd, begin);
    if (part % 2 == 1) beside.emplace_back(stamps.substr(begin, end - begin));
  }
  return beside;
}

bool has_stamps(const std::string& path, std::string_view stamps) {
  return file_stamps(path, names_in(stamps)) == stamps;
}

void require_stamps(const std::string& path, std::string_view stamps, const std::string& name) {
  if (has_stamps(path, stamps)) return;
  throw Problem(409, "input", fmt::format("{}: changed after it was registered", name),
                {{}, "send its path to /clouds again"});
}

}  // namespace skde::service
