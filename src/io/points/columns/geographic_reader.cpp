#include "io/points/columns/geographic_reader.hpp"

#include <utility>

#include "io/points/columns/geographic.hpp"

namespace skde::io {
namespace {

class GeographicReader final : public PointReader {
 public:
  GeographicReader(std::unique_ptr<PointReader> reader, const Geographic& wanted,
                   const std::string& file)
      : reader_(std::move(reader)), places_(wanted, reader_->columns(), file) {
    set_columns(places_.described());
  }

  bool read(Samples& chunk, std::size_t most) override {
    if (!reader_->read(chunk, most)) return false;
    places_.convert(chunk.xyz, [this](std::size_t row) { return reader_->place_of(row); });
    return true;
  }

  std::size_t left_out() const override { return reader_->left_out(); }
  std::string place_of(std::size_t row) const override { return reader_->place_of(row); }
  std::optional<std::uint64_t> expected_rows() const override { return reader_->expected_rows(); }
  std::uint64_t bytes_read() const override { return reader_->bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_->bytes_total(); }
  bool choose_part(std::uint64_t part, std::uint64_t parts) override {
    return reader_->choose_part(part, parts);
  }
  std::size_t width_columns() const override { return reader_->width_columns(); }
  const CategoryNames* category_texts() const override { return reader_->category_texts(); }
  const CarriedRows* carried() const override { return reader_->carried(); }

 private:
  std::unique_ptr<PointReader> reader_;
  GeographicPlaces places_;
};

}  // namespace

std::unique_ptr<PointReader> geographic_reader(std::unique_ptr<PointReader> reader,
                                               const Geographic& wanted, const std::string& file) {
  return std::make_unique<GeographicReader>(std::move(reader), wanted, file);
}

}  // namespace skde::io
