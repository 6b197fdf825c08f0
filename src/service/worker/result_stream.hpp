#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "io/volumes/volume_writer.hpp"

struct ZSTD_CCtx_s;

namespace skde::service {

/// The way of an array to its client, past the disk: a named pipe in the folder of the run, whose
/// other end the service sends on. What a slow client keeps waiting goes into a file there instead,
/// so that the worker gets free.
class ResultStream final : public io::ArrayStream {
 public:
  /// `packs`: the bytes are those of a chunked body, packed by zstd. `ask` tells the service what
  /// comes, and returns once it has opened the pipe. Throws what `ask` throws.
  ResultStream(bool packs, std::function<void(const nlohmann::ordered_json&)> ask);
  ~ResultStream() override;
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;

  void begin(const std::string& description, std::uint64_t bytes) override;
  /// Throws Error(cancelled) if nobody reads any more, Problem (507) if the disk is full.
  void write(std::string_view bytes) override;
  void finish(const std::string& description) override;

 private:
  void pack(std::string_view bytes, bool is_end);
  void send(std::string_view bytes);
  bool waits_too_long();

  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> packer_;
  const std::function<void(const nlohmann::ordered_json&)> ask_;
  int pipe_ = -1, rest_ = -1;
  std::chrono::steady_clock::duration waited_{};
};

/// Writes some samples of a cloud, evenly chosen, as an array of x, y, z and weight. Arguments:
/// {cloud, file.npy, count, flags of columns...}.
void write_points(const std::vector<std::string>& arguments, Progress& progress);

}  // namespace skde::service
