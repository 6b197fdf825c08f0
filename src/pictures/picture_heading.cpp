#include "pictures/picture_heading.hpp"

#include <utility>

#include "pictures/picture_captions.hpp"

namespace skde {
namespace {

constexpr int kTitleHeight = 34, kFactHeight = 22;
constexpr TextStyle kTitleStyle{.size = 20, .bold = true};
constexpr TextStyle kFactStyle{.size = 15};

}  // namespace

int PictureHeading::height() const {
  return kPictureMargin + kTitleHeight + static_cast<int>(lines.size()) * kFactHeight;
}

PictureHeading make_heading(const PictureCanvas& ruler, int width, std::string title,
                            const Grid& grid, const DensityMetadata& metadata,
                            const std::vector<std::string>& more) {
  std::vector<std::string> facts = picture_facts(metadata, grid);
  facts.insert(facts.end(), more.begin(), more.end());
  PictureHeading heading{std::move(title)};
  heading.lines = join_lines(facts, [&](const std::string& line) {
    return ruler.text_width(line, kFactStyle) <= width - 2 * kPictureMargin;
  });
  for (const std::string& warning : metadata.warnings)
    heading.lines.push_back("Warning: " + warning);
  return heading;
}

void draw_heading(PictureCanvas& canvas, int width, const PictureHeading& heading) {
  const double room = width - 2 * kPictureMargin;
  canvas.text_within(room, kPictureMargin, kPictureMargin + 10, heading.title, kTitleStyle);
  double y = kPictureMargin + kTitleHeight + 8;
  for (const std::string& line : heading.lines) {
    canvas.text_within(room, kPictureMargin, y, line, kFactStyle);
    y += kFactHeight;
  }
}

}  // namespace skde
