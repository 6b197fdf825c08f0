#include "io/points/kept_records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "io/points/column_selection.hpp"
#include "io/points/record_reader.hpp"

namespace skde::io {
namespace {

class KeptSource final : public ByteSource {
 public:
  KeptSource(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, bytes_.size() - position_);
    if (count > 0) std::memcpy(to, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }
  bool seekable() const override { return true; }
  void seek(std::uint64_t position) override {
    position_ = static_cast<std::size_t>(std::min<std::uint64_t>(position, bytes_.size()));
  }

 private:
  std::string name_, bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> kept_source(std::string name, std::string bytes) {
  return std::make_unique<KeptSource>(std::move(name), std::move(bytes));
}

std::unique_ptr<PointReader> read_kept_points(const std::string& name, std::string xyz,
                                              const ColumnSelection& wanted) {
  const SelectedColumns selected =
      select_columns(wanted, {name, {"x", "y", "z"}, std::vector<bool>(3, true)});
  constexpr std::size_t kBytes = sizeof(double);
  RecordLayout layout;
  layout.stride = 3 * kBytes;
  layout.big_endian = std::endian::native == std::endian::big;
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.xyz[axis].offset = selected.xyz[axis] * kBytes;
  if (selected.weight) layout.weight = RecordField{*selected.weight * kBytes, ScalarType::f64};
  const std::uint64_t rows = xyz.size() / layout.stride;
  auto reader =
      read_records(BufferedSource(kept_source(name, std::move(xyz))), layout, rows, Surplus::error);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
