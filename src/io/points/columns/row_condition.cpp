#include "io/points/columns/row_condition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace skde::io {
namespace {

/// Runs the program on some rows.
class ConditionMachine {
 public:
  using RestOf = RowCondition::RestOf;
  using Step = ConditionProgram::Step;
  using Value = ConditionProgram::Value;
  using Instruction = ConditionProgram::Instruction;
  static constexpr std::size_t kMostRows = 1024;  // their results stay in a core's cache

  ConditionMachine(const double* values, std::size_t stride, const RestOf& rest)
      : values_(values), stride_(stride), rest_(rest) {}

  /// The result is valid until the next call.
  const std::array<double, kMostRows>& run(std::span<const Instruction> program, std::size_t first,
                                           std::size_t rows) {
    first_ = first;
    rows_ = rows;
    height_ = 0;
    for (const Instruction& one : program) run(one);
    return stack_.front().values;
  }

 private:
  /// Values of the rows, and the column or constant that they are, if any.
  struct Level {
    std::array<double, kMostRows> values;
    const Instruction* origin;
  };

  void run(const Instruction& one) {
    switch (one.step) {
      case Step::constant:
        return push(one, [&](std::size_t) { return one.values.front().number; });
      case Step::column:
        return push(one, [&](std::size_t row) { return values_[row * stride_ + one.column]; });
      case Step::minus:
        return change([](double a) { return -a; });
      case Step::negate:
        return change([](double a) { return 1 - a; });
      case Step::member:
        return find_members(one.values);
      case Step::add:
        return join(std::plus<>());
      case Step::subtract:
        return join(std::minus<>());
      case Step::both:
      case Step::multiply:
        return join(std::multiplies<>());
      case Step::divide:
        return join(std::divides<>());
      case Step::either:
        return join([](double a, double b) { return std::max(a, b); });
      case Step::equal:
        return compare(std::equal_to<>());
      case Step::unlike:
        return compare(std::not_equal_to<>());
      case Step::less:
        return compare(std::less<>());
      case Step::at_most:
        return compare(std::less_equal<>());
      case Step::more:
        return compare(std::greater<>());
      case Step::at_least:
        return compare(std::greater_equal<>());
    }
  }

  template <class Get>
  void push(const Instruction& one, const Get& get) {
    if (stack_.size() == height_) stack_.emplace_back();
    Level& level = stack_[height_++];
    level.origin = &one;
    for (std::size_t i = 0; i < rows_; ++i) level.values[i] = get(first_ + i);
  }

  template <class Change>
  void change(const Change& changed) {
    Level& level = stack_[height_ - 1];
    level.origin = nullptr;
    for (std::size_t i = 0; i < rows_; ++i) level.values[i] = changed(level.values[i]);
  }

  /// Replaces the last two levels by one.
  template <class Join>
  void join(const Join& joined) {
    const Level& right = stack_[--height_];
    Level& left = stack_[height_ - 1];
    left.origin = nullptr;
    for (std::size_t i = 0; i < rows_; ++i)
      left.values[i] = joined(left.values[i], right.values[i]);
  }

  /// Doubles that are equal may stand for whole numbers that are not.
  template <class Holds>
  void compare(const Holds& holds) {
    constexpr double kExact = 0x1p53;
    const Level& right = stack_[--height_];
    Level& left = stack_[height_ - 1];
    for (std::size_t i = 0; i < rows_; ++i) {
      const double a = left.values[i], b = right.values[i];
      const bool by_rests = a == b && std::abs(a) >= kExact;
      left.values[i] = by_rests ? holds(rest_of(left, i), rest_of(right, i)) : holds(a, b);
    }
    left.origin = nullptr;
  }

  void find_members(const std::vector<Value>& members) {
    Level& level = stack_[height_ - 1];
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::pair own(level.values[i], rest_of(level, i));
      level.values[i] = own.first == own.first &&  // not NaN
                        std::ranges::binary_search(members, own, {}, &Value::parts);
    }
    level.origin = nullptr;
  }

  double rest_of(const Level& level, std::size_t row) const {
    if (level.origin == nullptr) return 0;
    if (level.origin->step == Step::constant) return level.origin->values.front().rest;
    return rest_ ? rest_(first_ + row, level.origin->column) : 0;
  }

  const double* values_;
  std::size_t stride_;
  const RestOf& rest_;
  std::size_t first_ = 0, rows_ = 0, height_ = 0;
  std::vector<Level> stack_;
};

}  // namespace

void RowCondition::evaluate(const double* values, std::size_t stride, std::span<std::uint8_t> holds,
                            const RestOf& rest) const {
  ConditionMachine machine(values, stride, rest);
  for (std::size_t first = 0; first < holds.size(); first += ConditionMachine::kMostRows) {
    const std::size_t rows = std::min(ConditionMachine::kMostRows, holds.size() - first);
    const auto& results = machine.run(program_.instructions, first, rows);
    for (std::size_t row = 0; row < rows; ++row) holds[first + row] = results[row] != 0 ? 1 : 0;
  }
}

std::string both_conditions(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return fmt::format("({}) && {}", one, other);
}

}  // namespace skde::io
