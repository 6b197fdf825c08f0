#include "io/volumes/volume_message.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/version.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

constexpr std::uint64_t kLongestMessageText = std::uint64_t{1} << 24, kMostMessageFields = 1000,
                        kMostNumbers = 1000, kMostVolumes = std::uint64_t{1} << 20;
constexpr std::size_t kPiece = std::size_t{1} << 20;

enum class Said : std::uint8_t { error, head, bytes };

class Sender {
 public:
  explicit Sender(const GiveBytes& give) : give_(give) {}

  template <class Plain>
  void plain(const Plain& value) {
    give_({reinterpret_cast<const char*>(&value), sizeof(value)});
  }
  void text(std::string_view text) {
    plain(std::uint64_t{text.size()});
    give_(text);
  }
  void begin(Said said) {
    text(kVersion);
    plain(said);
  }

 private:
  const GiveBytes& give_;
};

class Receiver {
 public:
  explicit Receiver(const TakeBytes& take) : take_(take) {}

  template <class Plain>
  Plain plain() {
    Plain value{};
    if (!take_(reinterpret_cast<char*>(&value), sizeof(value))) throw BrokenMessage{};
    return value;
  }
  std::uint64_t count(std::uint64_t most) {
    const auto value = plain<std::uint64_t>();
    if (value > most) throw BrokenMessage{};
    return value;
  }
  std::string text() {
    std::string text;
    for (std::uint64_t left = count(kLongestMessageText); left > 0;) {
      const std::size_t step = std::min<std::uint64_t>(left, kPiece), before = text.size();
      text.resize(before + step);
      if (!take_(text.data() + before, step)) throw BrokenMessage{};
      left -= step;
    }
    return text;
  }
  /// Reads the beginning of a message, or throws the error that was sent instead.
  void expect(Said wanted) {
    if (text() != kVersion) throw BrokenMessage{};
    const auto said = plain<std::uint8_t>();
    if (said == static_cast<std::uint8_t>(wanted)) return;
    const auto kind = plain<std::uint8_t>();
    if (said != static_cast<std::uint8_t>(Said::error) ||
        kind > static_cast<std::uint8_t>(ErrorKind::cancelled))
      throw BrokenMessage{};
    std::string problem = text(), parameter = text(), suggestion = text();
    throw Error(static_cast<ErrorKind>(kind), std::move(problem),
                {std::move(parameter), std::move(suggestion)});
  }

 private:
  const TakeBytes& take_;
};

void send_field(Sender& sender, const VolumeField& field) {
  sender.text(field.name);
  const auto* const numbers = std::get_if<std::vector<double>>(&field.value);
  sender.plain(numbers != nullptr);
  if (!numbers) return sender.text(std::get<std::string>(field.value));
  sender.plain(std::uint64_t{numbers->size()});
  for (const double number : *numbers) sender.plain(number);
}

VolumeField receive_field(Receiver& receiver) {
  VolumeField field{receiver.text(), {}};
  if (receiver.plain<std::uint8_t>() == 0) {
    field.value = receiver.text();
    return field;
  }
  std::vector<double> numbers(receiver.count(kMostNumbers));
  for (double& number : numbers) number = receiver.plain<double>();
  field.value = std::move(numbers);
  return field;
}

Grid receive_grid(Receiver& receiver) {
  Grid grid;
  std::int64_t cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    grid.lower[axis] = receiver.plain<double>();
    grid.spacing[axis] = receiver.plain<double>();
    const auto dim = receiver.plain<std::int64_t>();
    if (!std::isfinite(grid.lower[axis]) || !(grid.spacing[axis] > 0) || dim < 1 ||
        __builtin_mul_overflow(cells, dim, &cells))
      throw BrokenMessage{};
    grid.dims[static_cast<std::size_t>(axis)] = dim;
  }
  return grid;
}

VolumeHead receive_head(Receiver& receiver) {
  receiver.expect(Said::head);
  VolumeHead head{receive_grid(receiver), receiver.plain<std::uint8_t>() != 0, {}};
  VolumeFields fields(receiver.count(kMostMessageFields));
  for (VolumeField& field : fields) field = receive_field(receiver);
  head.metadata = metadata_from(fields);
  head.fields.resize(receiver.count(kMostVolumes));
  for (std::string& name : head.fields) name = receiver.text();
  head.field = receiver.text();
  return head;
}

/// Address space is reserved at once; memory is used only as values arrive.
template <class Real>
Volume receive_values(const TakeBytes& take, const Grid& grid) {
  constexpr std::size_t kValues = kPiece / sizeof(Real);
  const auto cells = static_cast<std::size_t>(grid.cells());
  std::vector<Real> values;
  values.reserve(cells);
  while (values.size() < cells) {
    const std::size_t have = values.size(), count = std::min(kValues, cells - have);
    values.resize(have + count);
    if (!take(reinterpret_cast<char*>(values.data() + have), count * sizeof(Real)))
      throw BrokenMessage{};
  }
  return {grid, std::move(values)};
}

/// Returns whole pages among these bytes to the system; they are not read again.
void release(std::string_view bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
  if (bytes.size() < before + page) return;
  const std::size_t whole = (bytes.size() - before) / page * page;
  madvise(const_cast<char*>(bytes.data()) + before, whole, MADV_DONTNEED);
}

}  // namespace

void send_error(const GiveBytes& give, const Error& error) {
  Sender sender(give);
  sender.begin(Said::error);
  sender.plain(static_cast<std::uint8_t>(error.kind()));
  for (const std::string& text : {error.problem(), error.parameter(), error.suggestion()})
    sender.text(std::string_view(text).substr(0, kLongestMessageText));
}

void send_head(const GiveBytes& give, const VolumeHead& head) {
  Sender sender(give);
  sender.begin(Said::head);
  for (int axis = 0; axis < 3; ++axis) {
    sender.plain(head.grid.lower[axis]);
    sender.plain(head.grid.spacing[axis]);
    sender.plain(head.grid.dims[static_cast<std::size_t>(axis)]);
  }
  sender.plain(head.placed);
  const VolumeFields fields = fields_of(head.metadata, head.grid);
  sender.plain(std::uint64_t{fields.size()});
  for (const VolumeField& field : fields) send_field(sender, field);
  sender.plain(std::uint64_t{head.fields.size()});
  for (const std::string& name : head.fields) sender.text(name);
  sender.text(head.field);
}

void send_volume(const GiveBytes& give, VolumeFile file) {
  send_head(give, {file.volume.grid(), file.placed, file.metadata, file.fields, file.field});
  Sender(give).plain(file.volume.precision() == Precision::f64);
  const std::string_view values = bytes_of(std::as_const(file.volume).value_span());
  for (std::size_t done = 0; done < values.size(); done += kPiece) {
    const std::string_view piece = values.substr(done, kPiece);
    give(piece);
    release(piece);
  }
}

void send_bytes(const GiveBytes& give, std::string_view bytes) {
  Sender sender(give);
  sender.begin(Said::bytes);
  sender.text(bytes);
}

std::string receive_bytes(const TakeBytes& take) {
  Receiver receiver(take);
  receiver.expect(Said::bytes);
  return receiver.text();
}

VolumeHead receive_head(const TakeBytes& take) {
  Receiver receiver(take);
  return receive_head(receiver);
}

VolumeFile receive_volume(const TakeBytes& take, const std::string& name) {
  Receiver receiver(take);
  VolumeHead head = receive_head(receiver);
  const Precision precision = receiver.plain<std::uint8_t>() ? Precision::f64 : Precision::f32;
  require_volume_fits(name, head.grid, precision);
  Volume volume = precision == Precision::f64 ? receive_values<double>(take, head.grid)
                                              : receive_values<float>(take, head.grid);
  return {std::move(volume),      std::move(head.metadata), head.placed, {},
          std::move(head.fields), std::move(head.field)};
}

}  // namespace skde::io
