#include "bench/report/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/report/html_text.hpp"
#include "bench/report/inline_svg.hpp"
#include "bench/report/report_style.hpp"
#include "bench/results/result_tables.hpp"

namespace skde::bench {
namespace {

constexpr ChartSize kPageChart{500, 410};
constexpr std::size_t kChartsInView = 4;  // of a section; the others are folded away

std::string figure(const Plot& plot, std::size_t number) {
  return "<figure>" +
         inline_svg(plot.chart, kPageChart, fmt::format("c{}-", number), plot.chart.title) +
         "</figure>\n";
}

/// The section's charts: the last ones, which are of the largest cases, in view.
std::string charts_html(const std::vector<const Plot*>& plots, std::size_t& number) {
  const std::size_t folded = plots.size() > kChartsInView ? plots.size() - kChartsInView : 0;
  std::string shown, hidden;
  for (std::size_t i = 0; i < plots.size(); ++i)
    (i < folded ? hidden : shown) += figure(*plots[i], ++number);
  std::string html = "<div class=\"charts\">\n" + shown + "</div>\n";
  if (folded > 0)
    html += fmt::format(
        "<details><summary>{} more</summary><div class=\"charts\">\n{}</div></details>\n", folded,
        hidden);
  return html;
}

std::vector<std::pair<std::string, std::vector<const Plot*>>> sections_of(
    const std::vector<Plot>& plots) {
  std::vector<std::pair<std::string, std::vector<const Plot*>>> sections;
  for (const Plot& plot : plots) {
    if (sections.empty() || sections.back().first != plot.section)
      sections.emplace_back(plot.section, std::vector<const Plot*>{});
    sections.back().second.push_back(&plot);
  }
  return sections;
}

/// "92 results: 80 ok, 12 skipped".
std::string counts_text(const RunRecord& run) {
  std::string text;
  for (const Status status : kStatuses)
    if (const auto count = std::ranges::count(run.results, status, &Result::status); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status_name(status));
  return fmt::format("{} results: {}", run.results.size(), text.empty() ? "none" : text);
}

/// The sections of the page one after the other, and the links to them.
class Page {
 public:
  void section(const std::string& title, const std::string& html) {
    if (html.empty()) return;
    const std::string id = fmt::format("s{}", ++sections_);
    links_ += fmt::format("<a href=\"#{}\">{}</a>\n", id, html_escaped(title));
    body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n{}", id, html_escaped(title), html);
  }
  const std::string& links() const { return links_; }
  const std::string& body() const { return body_; }

 private:
  int sections_ = 0;
  std::string links_, body_;
};

}  // namespace

std::string report_page(const RunRecord& run, const std::string& baseline,
                        const std::vector<Plot>& plots) {
  Page page;
  page.section("Machine", machine_html(run));
  std::size_t number = 0;
  for (const auto& [title, charts] : sections_of(plots))
    page.section(title, charts_html(charts, number));
  page.section("Results",
               "<p class=\"lead\">The fastest run is the headline; its median and quartiles tell "
               "how far to trust it. Updates are the cells inside the kernels.</p>\n" +
                   results_html(run, baseline));
  page.section("Stages of the fastest runs", stages_html(run));
  page.section("Ceilings and overheads", limits_html(run));
  const std::string cancelled =
      run.cancelled ? "<p class=\"warning\">The run was stopped before its end; what was measured "
                      "until then is here.</p>\n"
                    : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>skde-bench, {0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
      "<h1>skde-bench</h1>\n<p class=\"lead\">{0}; {2}</p>\n{3}<nav>\n{4}</nav>\n{5}</body>\n"
      "</html>\n",
      html_escaped(run.date), kReportStyle, counts_text(run), cancelled, page.links(), page.body());
}

}  // namespace skde::bench
