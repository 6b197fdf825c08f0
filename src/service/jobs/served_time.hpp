#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "service/store/database.hpp"

namespace skde::service {

/// When the service has run, by the machine's clock. What nobody uses ages while it runs alone, so
/// that a clock that is set wrong, or months without power, take nothing away. All in milliseconds,
/// those of the clock since 1970.
class ServedTime {
 public:
  /// Without a gap, and without a jump of the clock.
  struct Span {
    std::int64_t begin = 0, last = 0;
  };

  ServedTime() = default;
  /// In the order in which they were.
  explicit ServedTime(std::vector<Span> spans) : spans_(std::move(spans)) {}
  /// It runs at `now`, and so at `steady` by a clock that nobody sets.
  void run(std::int64_t now, std::int64_t steady);
  /// For how long it has run since `used`. Less rather than more where the clock has jumped.
  std::int64_t since(std::int64_t used) const;
  /// Forgets spans that lie before so much time of service.
  void forget_before(std::int64_t served);
  const std::vector<Span>& spans() const { return spans_; }

  // The table of them. They throw Problem.
  void load(Database& database);
  void save(Database& database) const;

 private:
  std::vector<Span> spans_;   ///< the newest last
  std::int64_t steady_ = -1;  ///< of the last run(); none before
};

}  // namespace skde::service
