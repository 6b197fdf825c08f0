#include "io/module/sandboxed_reader.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/reader_program.hpp"
#include "io/module/installed_file.hpp"
#include "io/points/clouds/laz_points.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// Starts a process that reads `part` of the file, and returns what `receive` makes of its answer.
template <class Receive>
auto ask(const VolumeFormat& format, const std::string& path, const char* part, double patience,
         const std::string& field, const Receive& receive) {
  std::vector<std::string> arguments{std::string(format.name), part, path};
  if (!field.empty()) arguments.push_back(field);
  ReaderProgram reader(reader_command(std::move(arguments)), patience);
  try {
    return receive([&](char* to, std::size_t count) { return reader.take(to, count); });
  } catch (const BrokenMessage&) {
    refuse_volume(path,
                  fmt::format("cannot be read as {}: its reader {}; the file is broken",
                              format.name, reader.end()),
                  "fetch it again, or write it again with the program that made it");
  }
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) std::_Exit(1);  // nobody reads the pipe
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

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

VolumeFile read_volume_sandboxed(const VolumeFormat& format, const std::string& path,
                                 double patience, const std::string& field) {
  return ask(format, path, "volume", patience, field,
             [&](const TakeBytes& take) { return receive_volume(take, path); });
}

VolumeHead read_head_sandboxed(const VolumeFormat& format, const std::string& path, double patience,
                               const std::string& field) {
  return ask(format, path, "head", patience, field,
             [](const TakeBytes& take) { return receive_head(take); });
}

std::vector<std::string> reader_command(std::vector<std::string> arguments) {
  std::string program = installed_file("skde-reader");
  if (program.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: {} is read by the program skde-reader, which does not exist",
                            arguments[2], arguments[0]),
                {{},
                 "install it with skde, or name its folder in the environment variable "
                 "SKDE_LIBEXEC"});
  arguments.insert(arguments.begin(), std::move(program));
  return arguments;
}

int answer_reader(const std::string& path, const std::function<void(const GiveBytes&)>& send) {
  // Libraries may print to stdout. The answer goes to a descriptor that they do not know.
  const int answer = dup(STDOUT_FILENO);
  if (answer < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  const GiveBytes give = [answer](std::string_view bytes) { write_all(answer, bytes); };
  limit_this_process(reading_limits(path));
  try {
    send(give);
  } catch (const Error& error) {
    send_error(give, error);
  } catch (const std::bad_alloc&) {
    send_error(give,
               Error(ErrorKind::input,
                     fmt::format("{}: needs more memory than a file of its size can; it is broken",
                                 path)));
  }
  return 0;
}

void send_part(const GiveBytes& give, const std::string& format, const std::string& part,
               const std::string& path, const std::string& field) {
  const VolumeFormat& reader = volume_format_for(path, format);
  const bool named = !field.empty() && reader.read_field;
  if (part == "head")
    send_head(give, named ? reader.read_field_head(path, field, {}) : reader.read_head(path, {}));
  else
    send_volume(give, named ? reader.read_field(path, field, {}) : reader.read(path, {}));
}

std::unique_ptr<ByteSource> laz_points(BufferedSource file) {
  return std::make_unique<SentPoints>(std::move(file));
}

}  // namespace skde::io
