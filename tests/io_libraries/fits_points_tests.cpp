#if SKDE_HAS_FITS
#include "io/reader_support.hpp"

namespace skde::test {

TEST_CASE("columns of FITS that are not one number a row are named", "[foreign]") {
  const auto unit = [](const std::vector<std::string>& cards) {
    std::string text;
    for (std::string card : cards) {
      card.resize(80, ' ');
      text += card;
    }
    text.resize((text.size() + 2879) / 2880 * 2880, ' ');
    return text;
  };
  const std::vector<std::string> forms{"D", "D", "D", "3D", "4A", "L", "C"};
  std::vector<std::string> table{
      "XTENSION= 'BINTABLE'",           "BITPIX  =                    8",
      "NAXIS   =                    2", "NAXIS1  =                   61",
      "NAXIS2  =                    1", "PCOUNT  =                    0",
      "GCOUNT  =                    1", "TFIELDS =                    7"};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    table.push_back(fmt::format("TFORM{}  = '{:<8}'", i + 1, forms[i]));
    if (i < 6)
      table.push_back(fmt::format("TTYPE{}  = '{:<8}'", i + 1,
                                  std::vector{"x", "y", "z", "vel", "name", "flag"}[i]));
  }
  table.emplace_back("END");
  const std::string bytes =
      unit({"SIMPLE  =                    T", "BITPIX  =                    8",
            "NAXIS   =                    0", "EXTEND  =                    T", "END"}) +
      unit(table) + std::string(2880, '\0');
  io::ColumnSelection wanted;
  wanted.all_others = true;
  const TemporaryFolder folder;
  const auto reader = io::open_points(folder.file("a.fits", bytes), wanted);
  CHECK(reader->columns().left_out == std::vector<std::string>{"vel", "name", "flag", "column 7"});
}

}  // namespace skde::test
#endif
