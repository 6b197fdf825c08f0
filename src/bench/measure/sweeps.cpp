#include "bench/measure/sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>

namespace skde::bench {
namespace {

CaseKey group_key(const Result& r, Sweep sweep) {
  CaseKey key = case_of(r);
  if (sweep == Sweep::samples && is_silverman(key)) key.h = -1;
  if (sweep == Sweep::samples) key.samples = 0;
  if (sweep == Sweep::cells) key.cells = 0;
  if (sweep == Sweep::bandwidth) key.h = 0;
  return key;
}

std::string value_text(const Result& r, Sweep sweep) {
  return sweep == Sweep::samples ? short_count(r.samples)
                                 : fmt::format("{:.4g}", sweep_value(r, sweep));
}

/// One method without times for one reason.
struct Missing {
  std::string reason, method, values;
};

std::vector<Missing> missing_of(const SweepGroup& group, Sweep sweep, const MethodNames& names) {
  std::vector<Missing> found;
  for (const Result* r : group.rows) {
    if (is_timed(r->status)) continue;
    const std::string reason = fmt::format("{}: {}", status_name(r->status), r->reason);
    const std::string method = names(*r);
    const auto same = std::ranges::find_if(
        found, [&](const Missing& m) { return m.reason == reason && m.method == method; });
    if (same == found.end())
      found.push_back({reason, method, value_text(*r, sweep)});
    else
      same->values += ", " + value_text(*r, sweep);
  }
  return found;
}

}  // namespace

std::string sweep_symbol(Sweep sweep) {
  return sweep == Sweep::samples ? "N" : sweep == Sweep::cells ? "M" : "h";
}

ChartAxis sweep_axis(Sweep sweep) {
  return {sweep_symbol(sweep), sweep == Sweep::samples ? "samples"
                               : sweep == Sweep::cells ? "cells a side"
                                                       : "of H = h² S"};
}

double sweep_value(const Result& r, Sweep sweep) {
  return sweep == Sweep::samples ? static_cast<double>(r.samples)
         : sweep == Sweep::cells ? static_cast<double>(r.cells)
                                 : r.h;
}

std::string SweepGroup::text() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (key.samples > 0) add("N = " + short_count(key.samples));
  if (key.cells > 0) add(fmt::format("M = {}", key.cells));
  add(key.h < 0 ? "Silverman's h" : bandwidth_text(key));
  add(cloud_text(key));
  return text;
}

std::string SweepGroup::file_text() const {
  std::string text;
  if (key.samples > 0) text += fmt::format("n{}-", key.samples);
  if (key.cells > 0) text += fmt::format("m{}-", key.cells);
  if (key.h != 0) text += key.h < 0 ? "silverman-" : fmt::format("h{:.4g}-", key.h);
  text += key.cloud + (key.weighted ? "-weighted" : "");
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '.'; }, '-');
  return text;
}

std::vector<SweepGroup> sweep_groups(const RunRecord& run, Sweep sweep) {
  std::map<CaseKey, SweepGroup> groups;
  for (const Result& r : run.results) {
    const CaseKey key = group_key(r, sweep);
    groups[key].key = key;
    groups[key].rows.push_back(&r);
  }
  std::vector<SweepGroup> kept;
  for (auto& [key, group] : groups) {
    std::set<double> values;
    for (const Result* r : group.rows)
      if (is_timed(r->status) && sweep_value(*r, sweep) > 0) values.insert(sweep_value(*r, sweep));
    if (values.size() >= 2) kept.push_back(std::move(group));
  }
  // Pages show the last charts of a section at first sight: there stands the main cloud.
  std::ranges::stable_sort(kept, std::greater(), [&](const SweepGroup& group) {
    return std::ranges::find_if(run.results,
                                [&](const Result& r) {
                                  return r.cloud == group.key.cloud &&
                                         r.weighted == group.key.weighted;
                                }) -
           run.results.begin();
  });
  return kept;
}

std::string missing_text(const SweepGroup& group, Sweep sweep, const MethodNames& names) {
  std::set<std::string> drawn;
  for (const Result* r : group.rows)
    if (is_timed(r->status)) drawn.insert(names(*r));
  std::vector<std::pair<std::string, std::string>> parts;  // what is missing, by reason
  for (const Missing& m : missing_of(group, sweep, names)) {
    // A method that is on no line needs no list of values.
    const std::string what = !drawn.contains(m.method)
                                 ? m.method
                                 : m.method + " at " + sweep_symbol(sweep) + " = " + m.values;
    const auto same =
        std::ranges::find(parts, m.reason, &std::pair<std::string, std::string>::first);
    if (same == parts.end())
      parts.emplace_back(m.reason, what);
    else
      same->second += ", " + what;
  }
  std::string text;
  for (const auto& [reason, what] : parts)
    text += fmt::format("{}{} ({})", text.empty() ? "Not drawn: " : "; ", what, reason);
  return text;
}

std::string inexact_text(const SweepGroup& group, const MethodNames& names) {
  std::map<std::string, double> largest;
  for (const Result* r : group.rows)
    if (r->status == Status::inexact) {
      double& error = largest[names(*r)];
      error = std::max(error, r->error.value_or(0));
    }
  std::string text;
  for (const auto& [name, error] : largest)
    text += fmt::format("{}{}, off by up to {:.2g} of the peak",
                        text.empty() ? "Other values than the density: " : "; ", name, error);
  return text;
}

}  // namespace skde::bench
