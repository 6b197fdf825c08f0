#if SKDE_HAS_FITS
#include <cmath>

#include "fits_unit.hpp"
#include "io/reader_support.hpp"

namespace skde::test {

TEST_CASE("columns of FITS that are not one number a row are named", "[foreign]") {
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
      fits_unit({"SIMPLE  =                    T", "BITPIX  =                    8",
                 "NAXIS   =                    0", "EXTEND  =                    T", "END"}) +
      fits_unit(table) + std::string(2880, '\0');
  io::ColumnSelection wanted;
  wanted.all_others = true;
  const TemporaryFolder folder;
  const auto reader = io::open_points(folder.file("a.fits", bytes), wanted);
  CHECK(reader->columns().left_out == std::vector<std::string>{"vel", "name", "flag", "column 7"});
}

// Pence et al., A&A 524, A42, 2010, sections 7.3.2 and 7.3.3.
TEST_CASE("integers of FITS are scaled, and those that stand for none are none", "[foreign]") {
  std::string bytes = fits_unit({"SIMPLE  =                    T", "BITPIX  =                    8",
                                 "NAXIS   =                    0", "END"}) +
                      fits_unit({"XTENSION= 'BINTABLE'",           "BITPIX  =                    8",
                                 "NAXIS   =                    2", "NAXIS1  =                    8",
                                 "NAXIS2  =                    2", "PCOUNT  =                    0",
                                 "GCOUNT  =                    1", "TFIELDS =                    3",
                                 "TTYPE1  = 'x       '",           "TFORM1  = '1J      '",
                                 "TSCAL1  =                  0.5", "TZERO1  =                   10",
                                 "TNULL1  =                  -99", "TTYPE2  = 'y       '",
                                 "TFORM2  = '1I      '",           "TZERO2  =                32768",
                                 "TTYPE3  = 'z       '",           "TFORM3  = '1I      '",
                                 "TNULL3  =                   -1", "END"});
  // 4 and -99; 7 as 7 - 32768, and 40000 as 7232; 5 and -1: big endian.
  const unsigned char rows[] = {0,    0,    0,    4,    0x80, 7,    0,    5,  //
                                0xff, 0xff, 0xff, 0x9d, 0x1c, 0x40, 0xff, 0xff};
  bytes.append(reinterpret_cast<const char*>(rows), sizeof rows);
  bytes.resize((bytes.size() + 2879) / 2880 * 2880);
  const std::vector<double> xyz = read_bytes("a.fits", bytes).xyz;
  REQUIRE(xyz.size() == 6);
  CHECK(std::vector<double>(xyz.begin(), xyz.begin() + 3) == std::vector<double>{12, 7, 5});
  CHECK(std::isnan(xyz[3]));
  CHECK(xyz[4] == 40000);
  CHECK(std::isnan(xyz[5]));
}

}  // namespace skde::test
#endif
