#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/bytes/reader_program.hpp"
#include "io/bytes/reopened_file.hpp"
#include "io/module/sandboxed_reader.hpp"
#include "io/points/clouds/laz_points.hpp"
#include "io/volumes/volume_message.hpp"

namespace skde::io {
namespace {

/// The records that the other process sends.
class SentPoints : public ByteSource {
 public:
  explicit SentPoints(BufferedSource file) : name_(file.name()), file_(std::move(file)) {
    const std::string path = file_.path();
    reader_.emplace(reader_command({"laz", "points", path, name_}), reading_limits(path).seconds);
  }

  const std::string& name() const override { return name_; }
  std::size_t read(char* to, std::size_t most) override {
    if (taken_ == piece_.size() && !ended_) receive();
    const std::size_t count = std::min(most, piece_.size() - taken_);
    std::copy_n(piece_.data() + taken_, count, to);
    taken_ += count;
    return count;
  }

 private:
  void receive() {
    try {
      piece_ =
          receive_bytes([this](char* to, std::size_t count) { return reader_->take(to, count); });
    } catch (const BrokenMessage&) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: cannot be read as LAZ: its reader {}; the file is broken", name_,
                              reader_->end()),
                  {{}, "fetch it again"});
    }
    taken_ = 0;
    ended_ = piece_.empty();
  }

  std::string name_;
  ReopenedFile file_;
  std::optional<ReaderProgram> reader_;
  std::string piece_;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> laz_points(BufferedSource file) {
  return std::make_unique<SentPoints>(std::move(file));
}

}  // namespace skde::io
