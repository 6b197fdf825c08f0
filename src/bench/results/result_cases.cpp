#include "bench/results/result_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "cli/number_format.hpp"
#include "core/kernel_function.hpp"
#include "pictures/axis_ticks.hpp"

namespace skde::bench {

CaseKey case_of(const Result& r) {
  return {r.experiment, r.cloud, r.weighted, r.samples, r.cells, r.h};
}

bool is_silverman(const CaseKey& key) {
  if (key.samples == 0 || !(key.h > 0)) return false;
  const double h = KernelFunction::epanechnikov->silverman *
                   std::pow(static_cast<double>(key.samples), -1.0 / 7);
  return std::abs(key.h / h - 1) < 1e-4;
}

std::string short_count(std::uint64_t count) {
  int power = 0;
  std::uint64_t leading = count;
  while (leading >= 10 && leading % 10 == 0) {
    leading /= 10;
    ++power;
  }
  if (count < 10000) return std::to_string(count);  // as the axes write it
  if (power < 4 || leading > 9) return cli::format_count(count);
  return leading == 1 ? power_of_ten(power) : fmt::format("{}·{}", leading, power_of_ten(power));
}

std::string rate_text(double per_second, std::string_view unit) {
  static constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  for (; per_second >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) per_second /= 1000;
  return fmt::format("{:.3g} {}{}/s", per_second, kPrefixes[prefix], unit);
}

std::string bandwidth_text(const CaseKey& key) {
  if (!(key.h > 0)) return "";
  return is_silverman(key) ? "Silverman's h" : fmt::format("h = {:.4g}", key.h);
}

std::string cloud_text(const CaseKey& key) {
  return key.weighted ? key.cloud + ", weighted" : key.cloud;
}

std::string case_text(const CaseKey& key) {
  std::string text;
  if (key.samples > 0) text += "N = " + short_count(key.samples) + ", ";
  if (key.cells > 0) text += fmt::format("M = {}, ", key.cells);
  if (key.h > 0) text += fmt::format("h = {:.4g}, ", key.h);
  return text + cloud_text(key);
}

MethodNames::MethodNames(const std::vector<Result>& results) {
  std::map<std::string, std::set<std::string>> precisions, kernels;
  for (const Result& r : results) {
    precisions[r.method].insert(r.precision);
    kernels[r.kernel].insert(r.method);
  }
  std::size_t most = 0;
  for (const auto& [kernel, methods] : kernels)
    if (methods.size() > most) {
      most = methods.size();
      usual_kernel_ = kernel;
    }
  for (const auto& [method, found] : precisions)
    if (found.size() > 1) many_precisions_.push_back(method);
  for (const Result& r : results)
    if (std::string name = (*this)(r); std::ranges::find(names_, name) == names_.end())
      names_.push_back(std::move(name));
}

std::string MethodNames::operator()(const Result& r) const {
  std::string name = r.method;
  if (std::ranges::find(many_precisions_, r.method) != many_precisions_.end())
    name += " " + r.precision;
  return r.kernel.empty() || r.kernel == usual_kernel_ ? name : name + " (" + r.kernel + ")";
}

std::size_t MethodNames::style(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
}

std::string usual_baseline(const std::vector<Result>& results) {
  const auto measured = [&](std::string_view method) {
    return std::ranges::any_of(
        results, [&](const Result& r) { return r.method == method && r.status == Status::ok; });
  };
  for (const char* const method : {"openmp", "cuda-chop-crop", "naive"})
    if (measured(method)) return method;
  const auto first = std::ranges::find_if(
      results, [](const Result& r) { return r.status == Status::ok && r.updates > 0; });
  return first == results.end() ? "" : first->method;
}

const Result* baseline_of(const Result& result, const std::vector<const Result*>& rows,
                          const std::string& baseline) {
  const Result* found = nullptr;
  for (const Result* r : rows) {
    if (r->method != baseline || r->status != Status::ok || case_of(*r) != case_of(result))
      continue;
    if (r->precision == result.precision) return r;
    if (!found) found = r;
  }
  return found;
}

}  // namespace skde::bench
