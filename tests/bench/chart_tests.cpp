#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "bench/example_run.hpp"
#include "bench/report/chart_drawing.hpp"
#include "bench/report/chart_layout.hpp"
#include "bench/report/inline_svg.hpp"
#include "bench/report/result_plots.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

// Without pictures there is nothing that draws.
#if SKDE_HAS_PICTURES

using namespace skde;
using namespace skde::bench;
using test::content_of;
using test::says;
using test::thrown_error;

namespace {

double measure(const std::string& text, const TextStyle& style) {
  static const ChartCanvas ruler(ChartFormat::png, 1, 1, {});
  return ruler.text_width(text, style);
}

Chart crowded() {
  Chart chart;
  chart.title = "Ten methods that end at nearly the same time";
  chart.x = {"N", "samples"};
  chart.y = {"time", "", AxisScale::log10, TickText::seconds};
  for (std::size_t i = 0; i < 10; ++i) {
    ChartSeries series{"method-" + std::to_string(i), i, {}, true};
    for (const double x : {1e2, 1e3, 1e4})
      series.points.push_back({x, 1e-6 * x, 0.9e-6 * x, 1.2e-6 * x, {}});
    chart.series.push_back(series);
  }
  chart.notes = {"Not drawn: " + std::string(700, 'x') + " and " + std::string(300, 'y')};
  return chart;
}

void check_no_text_overlaps(const Chart& chart, ChartSize size) {
  const ChartLayout layout = lay_out(chart, size, measure);
  CAPTURE(chart.title, size.width);
  CHECK(layout.plot.width > 0.4 * size.width);
  for (std::size_t i = 0; i < layout.texts.size(); ++i) {
    const Box box = text_box(layout.texts[i], measure);
    CAPTURE(layout.texts[i].text);
    CHECK(box.x >= 0);
    CHECK(box.y >= 0);
    CHECK(box.right() <= layout.width);
    CHECK(box.bottom() <= layout.height);
    for (std::size_t k = 0; k < i; ++k) {
      CAPTURE(layout.texts[k].text);
      CHECK_FALSE(overlap(box, text_box(layout.texts[k], measure)));
    }
  }
}

/// Checks that tags of the text are closed in the order of their opening.
void check_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != xml.npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    REQUIRE(end != xml.npos);
    std::string tag = xml.substr(at + 1, end - at - 1);
    REQUIRE(tag.find('<') == tag.npos);
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    const bool closes = tag.starts_with('/');
    tag = tag.substr(closes, tag.find_first_of(" \n\t") - closes);
    if (!closes) {
      open.push_back(tag);
      continue;
    }
    REQUIRE(!open.empty());
    CHECK(open.back() == tag);
    open.pop_back();
  }
  CHECK(open.empty());
}

/// Width and height in the header of a PNG file.
std::pair<int, int> png_size(const std::string& png) {
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(png[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

}  // namespace

TEST_CASE("no two texts of a chart overlap") {
  for (const ChartSize size : {ChartSize{800, 500}, ChartSize{500, 410}, ChartSize{1400, 600}}) {
    check_no_text_overlaps(crowded(), size);
    for (const Plot& plot : plots_of(test::example_run(), "openmp"))
      check_no_text_overlaps(plot.chart, size);
  }
}

TEST_CASE("notes that are cut end in an ellipsis") {
  Chart chart = crowded();
  chart.notes = {"A short note", "Not drawn: "};
  for (int i = 0; i < 60; ++i) chart.notes[1] += "several words ";
  const ChartLayout layout = lay_out(chart, {500, 410}, measure);
  std::size_t cut = 0;
  for (const auto& placed : layout.texts) cut += placed.text.ends_with("…");
  CHECK(cut == 1);
}

TEST_CASE("a long title takes two lines, and what is left over is cut") {
  Chart chart = crowded();
  chart.title = "Updates a second, N = 123,456, M = 256, Silverman's h, five-gaussians, weighted";
  check_no_text_overlaps(chart, {500, 410});
  const ChartLayout layout = lay_out(chart, {500, 410}, measure);
  CHECK(layout.texts[0].text + " " + layout.texts[1].text == chart.title);
  for (int i = 0; i < 3; ++i) chart.title += " and " + chart.title;
  check_no_text_overlaps(chart, {500, 410});
  CHECK(lay_out(chart, {500, 410}, measure).texts[1].text.ends_with("…"));
}

TEST_CASE("a chart grows where its labels need more height") {
  Chart chart = crowded();
  for (std::size_t i = 10; i < 40; ++i) {
    chart.series.push_back(chart.series[0]);
    chart.series.back().name = "method-" + std::to_string(i);
  }
  CHECK(lay_out(crowded(), {800, 500}, measure).height == 500);
  CHECK(lay_out(chart, {800, 500}, measure).height > 700);
  check_no_text_overlaps(chart, {800, 500});
}

TEST_CASE("a line that ends early has its label beside its end, the others at the right") {
  Chart chart = crowded();
  chart.series.resize(2);
  for (ChartPoint& point : chart.series[0].points) point.y *= 100;
  chart.series[0].points.pop_back();
  const ChartLayout layout = lay_out(chart, {}, measure);
  REQUIRE(layout.end_labels.size() == 1);
  CHECK(layout.end_labels[0].style == 1U);
  const auto label = std::ranges::find(layout.texts, "method-0", &PlacedText::text);
  REQUIRE(label != layout.texts.end());
  CHECK(std::abs(label->x - layout.x.pixel(1e3)) < 20);
  CHECK(std::abs(label->y - layout.y.pixel(1e-1)) < 20);
}

TEST_CASE("points that an axis cannot show are left out") {
  Chart chart = crowded();
  chart.series.resize(1);
  chart.series[0].points.push_back(ChartPoint::plain(1e5, 0));
  const ChartLayout layout = lay_out(chart, {}, measure);
  CHECK(shown_points(chart.series[0].points, layout.x, layout.y).size() == 3);
  CHECK(layout.end_labels[0].from_x == Approx(layout.x.pixel(1e4)));
}

TEST_CASE("charts are written as SVG and PNG") {
  const test::TemporaryFolder folder;
  const std::string svg = folder.path("chart.svg"), png = folder.path("chart.png");
  write_chart(crowded(), svg);
  write_chart(crowded(), png);
  const std::string text = content_of(svg);
  CHECK(text.starts_with("<?xml"));
  CHECK(text.find("viewBox=\"0 0 800 500\"") != text.npos);
  check_well_formed(text);
  CHECK(content_of(png).starts_with("\x89PNG"));
  CHECK(png_size(content_of(png)) == std::pair{800 * kPngScale, 500 * kPngScale});
}

TEST_CASE("a chart that cannot be written leaves nothing behind") {
  const test::TemporaryFolder folder;
  const Error kind = thrown_error([&] { write_chart(crowded(), folder.path("a.gif")); });
  CHECK(kind.kind() == ErrorKind::usage);
  CHECK(says(kind, ".svg or .png"));
  const Error place = thrown_error([] { write_chart(crowded(), "/no/such/folder/chart.svg"); });
  CHECK(place.kind() == ErrorKind::output);
  CHECK(folder.names().empty());
}

TEST_CASE("colours and markers tell series apart") {
  for (const ChartTheme& theme : {kLightTheme, kDarkTheme})
    for (std::size_t i = 0; i < 56; ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const SeriesStyle a = series_style(i, theme), b = series_style(k, theme);
        CHECK_FALSE((a.color == b.color && a.marker == b.marker));
      }
}

TEST_CASE("a chart on a page has both themes and ids of its own") {
  const std::string svg = inline_svg(crowded(), {500, 410}, "c7-", "a \"chart\" & more");
  check_well_formed(svg);
  CHECK(svg.starts_with("<svg viewBox=\"0 0 500 410\" role=\"img\" aria-label=\"a &quot;chart"));
  CHECK(svg.find("<g class=\"light\">") != svg.npos);
  CHECK(svg.find("<g class=\"dark\">") != svg.npos);
  CHECK(svg.find("http") == svg.npos);
  for (const std::string mark : {" id=\"", "href=\"#", "url(#"})
    for (std::size_t at = svg.find(mark); at != svg.npos; at = svg.find(mark, at + 1))
      CHECK(svg.compare(at + mark.size(), 3, "c7-") == 0);
}

#endif  // SKDE_HAS_PICTURES
