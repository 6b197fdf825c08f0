#include "service/store/served_time.hpp"

#include <algorithm>
#include <cstdlib>

namespace skde::service {
namespace {

/// Largest clock error, or length of a restart, in ms, that does not count as a jump.
constexpr std::int64_t kSmallJump = 300'000;

}  // namespace

void ServedTime::run(std::int64_t now, std::int64_t steady) {
  const std::int64_t passed = steady_ < 0 ? 0 : steady - steady_;
  steady_ = steady;
  if (spans_.empty() || std::abs(now - (spans_.back().last + passed)) > kSmallJump)
    spans_.push_back({now, now});
  else
    spans_.back().last = std::max(spans_.back().last, now);
}

std::int64_t ServedTime::since(std::int64_t used) const {
  std::int64_t served = 0;
  for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
    if (used >= span->begin && used <= span->last + kSmallJump)
      return served + std::max<std::int64_t>(0, span->last - used);
    served += span->last - span->begin;
  }
  // The time is in no span: count the newest spans, back to the first one that ended before it.
  served = 0;
  for (auto span = spans_.rbegin(); span != spans_.rend() && used <= span->last; ++span)
    served += span->last - span->begin;
  return served;
}

void ServedTime::forget_before(std::int64_t served) {
  std::size_t kept = 0;
  while (kept < spans_.size() && served >= 0) {
    ++kept;
    const Span& span = spans_[spans_.size() - kept];
    served -= span.last - span.begin;
  }
  spans_.erase(spans_.begin(), spans_.end() - static_cast<std::ptrdiff_t>(kept));
}

void ServedTime::load(Database& database) {
  spans_.clear();
  Statement rows = database.prepare("SELECT began, last FROM served ORDER BY id");
  while (rows.step()) spans_.push_back({rows.number(0), rows.number(1)});
}

void ServedTime::save(Database& database) const {
  database.run("DELETE FROM served");
  for (const Span& span : spans_)
    database.run("INSERT INTO served (began, last) VALUES (?, ?)", span.begin, span.last);
}

}  // namespace skde::service
