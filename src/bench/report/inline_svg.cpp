#include "bench/report/inline_svg.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "bench/report/chart_drawing.hpp"
#include "bench/report/html_text.hpp"

namespace skde::bench {
namespace {

/// The parts of an SVG file as cairo writes it: outlines of letters, then the drawing.
struct SvgParts {
  std::string view_box, definitions, drawing;
};

/// What stands between two marks; the program's own drawing has them all.
std::string_view between(std::string_view text, std::string_view first, std::string_view last) {
  const std::size_t start = text.find(first);
  const std::size_t end = start == text.npos ? text.npos : text.find(last, start + first.size());
  if (end == text.npos)
    throw std::logic_error(fmt::format("cairo wrote an SVG without {} ... {}", first, last));
  return text.substr(start + first.size(), end - start - first.size());
}

void replace_all(std::string& text, std::string_view old, std::string_view now) {
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
}

/// Cuts numbers after the second decimal, which is a hundredth of a pixel: half of the bytes.
void cut_decimals(std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t kept = 0;
  int decimals = -1;  // digits since the point; -1 before one
  for (const char c : text) {
    if (!is_digit(c)) decimals = c == '.' ? 0 : -1;
    if (is_digit(c) && decimals >= 0 && ++decimals > 2) continue;
    text[kept++] = c;
  }
  text.resize(kept);
}

SvgParts svg_parts(const std::string& svg, std::string_view prefix) {
  SvgParts parts{std::string(between(svg, "viewBox=\"", "\"")),
                 std::string(between(svg, "<defs>", "</defs>")),
                 std::string(between(svg, "</defs>", "</svg>"))};
  for (std::string* const text : {&parts.definitions, &parts.drawing}) {
    cut_decimals(*text);
    // What these say holds without them.
    for (const char* const usual :
         {"stroke-linecap:butt;", "stroke-opacity:1;", "stroke-miterlimit:10;", "fill-opacity:1;"})
      replace_all(*text, usual, "");
    replace_all(*text, " id=\"", fmt::format(" id=\"{}", prefix));
    replace_all(*text, "xlink:href=\"#", fmt::format("href=\"#{}", prefix));
    replace_all(*text, "url(#", fmt::format("url(#{}", prefix));
  }
  return parts;
}

}  // namespace

std::string inline_svg(const Chart& chart, ChartSize size, std::string_view prefix,
                       std::string_view description) {
  const auto parts_in = [&](const ChartTheme& theme, std::string_view mark) {
    return svg_parts(draw_chart(chart, ChartFormat::svg, size, theme),
                     fmt::format("{}{}", prefix, mark));
  };
  SvgParts light = parts_in(kLightTheme, ""), dark = parts_in(kDarkTheme, "");
  // Both drawings have the same letters, which are most of the bytes.
  if (light.definitions != dark.definitions) {
    dark = parts_in(kDarkTheme, "d");
    light.definitions += dark.definitions;
  }
  return fmt::format(
      "<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\">\n<defs>{}</defs>\n"
      "<g class=\"light\">{}</g>\n<g class=\"dark\">{}</g>\n</svg>\n",
      light.view_box, html_escaped(description), light.definitions, light.drawing, dark.drawing);
}

}  // namespace skde::bench
