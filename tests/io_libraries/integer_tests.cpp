// Whole numbers that doubles round: ids are consecutive, so that doubles take many for one.

#include "io/points/columns/carried_rows.hpp"

#include <string>
#include <tuple>

#include "fits_unit.hpp"
#include "io/points/point_table.hpp"
#include "io/reader_support.hpp"

namespace skde::test {
namespace {

io::ColumnSelection kept_where(const std::string& condition) {
  io::ColumnSelection columns;
  columns.where = condition;
  return columns;
}

}  // namespace

TEST_CASE("Whole numbers are compared and carried with all their digits", "[where]") {
  const std::int64_t base = 5853498713190525696;
  std::string csv = "id,x,y,z\n", records, by_columns;
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::int64_t id = base + i;
    csv += fmt::format("{},{},0,0\n", id, i);
    records.append(reinterpret_cast<const char*>(&id), 8);
    records += stored<double>({static_cast<double>(i), 0, 0});
  }
  // Four columns one after the other: three of zeros, then numbers above 2^63.
  by_columns.assign(std::size_t{3} * 40 * 8, '\0');
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t id = (std::uint64_t{1} << 63) + i;
    by_columns.append(reinterpret_cast<const char*>(&id), 8);
  }
  const auto npy = [](const std::string& entries, const std::string& bytes) {
    return std::string("\x93NUMPY\x01\x00", 8) + std::string("\xb6\x00", 2) + entries +
           std::string(181 - entries.size(), ' ') + "\n" + bytes;
  };
  const std::string fields =
      npy("{'descr': [('id', '<i8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8')], 'fortran_order': "
          "False, "
          "'shape': (40,), }",
          records);
  const std::string fortran =
      npy("{'descr': '<u8', 'fortran_order': True, 'shape': (40, 4), }", by_columns);
  const auto rows = [](const std::string& name, const std::string& bytes, const std::string& text,
                       bool piped) {
    io::ColumnSelection columns = kept_where(text);
    columns.coordinates = {"2", "3", name == "f.npy" ? "1" : "4"};
    return (piped ? read_pipe(name, bytes, columns) : read_bytes(name, bytes, columns))
        .places.size();
  };
  for (const bool piped : {false, true}) {
    for (const auto& [name, bytes, column, first] :
         {std::tuple("a.csv", csv, "id", std::string("585349871319052")),
          std::tuple("a.npy", fields, "id", std::string("585349871319052")),
          std::tuple("f.npy", fortran, "#4", std::string("922337203685477"))}) {
      INFO(name << piped);
      const bool high = column[0] == '#';
      const auto number = [&, head = first](int i) {
        return head + std::to_string((high ? 5808 : 5696) + i);
      };
      CHECK(rows(name, bytes, column + (" == " + number(1)), piped) == 1);
      CHECK(rows(name, bytes, column + (" != " + number(3)), piped) == 39);
      CHECK(rows(name, bytes, column + (" >= " + number(20)), piped) == 20);
      CHECK(rows(name, bytes, column + (" > " + number(39)), piped) == 0);
      CHECK(rows(name, bytes, number(5) + " > " + column, piped) == 5);
    }
  }
  NoProgress progress;
  const TemporaryFile file("a.npy", fields);
  const io::PointTable table =
      io::read_point_table(file.path(), kept_where("x == 7 || x == 9"), progress);
  REQUIRE(table.rows() == 2);
  CHECK(io::exact_text(table.at(1, 0), table.carried.rest_of(1, 0)) == "5853498713190525705");
  io::ColumnSelection categories;
  categories.category = "id";
  io::CloudStream stream({file.path()}, categories, io::NonFinite::drop);
  Samples chunk;
  while (stream.read(chunk, 100, progress)) {
  }
  REQUIRE(stream.categories().size() == 40);
  CHECK(stream.categories().name(39) == "5853498713190525735");
}

#if SKDE_HAS_FITS
TEST_CASE("Integers of FITS tables keep all their digits", "[foreign]") {
  // Unsigned integers are stored as signed ones less 2^63.
  std::string data;
  for (const std::int64_t id : {5853498713190525697, 5853498713190525698})
    for (const std::uint64_t bits :
         {static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(id) ^ std::uint64_t{1} << 63})
      for (int shift = 56; shift >= 0; shift -= 8) data += static_cast<char>(bits >> shift & 0xff);
  for (int row = 0; row < 2; ++row)
    data.insert(static_cast<std::size_t>(row) * 28 + 16,
                std::string("\x3f\x80\0\0\x40\0\0\0\0\0\0\0", 12));
  const TemporaryFile file(
      "a.fits", fits_unit({"SIMPLE  =                    T", "BITPIX  =                    8",
                           "NAXIS   =                    0", "END"}) +
                    fits_unit({"XTENSION= 'BINTABLE'",           "BITPIX  =                    8",
                               "NAXIS   =                    2", "NAXIS1  =                   28",
                               "NAXIS2  =                    2", "PCOUNT  =                    0",
                               "GCOUNT  =                    1", "TFIELDS =                    5",
                               "TTYPE1  = 'ID      '",           "TFORM1  = '1K      '",
                               "TTYPE2  = 'UNSIGNED'",           "TFORM2  = '1K      '",
                               "TZERO2  =  9223372036854775808", "TTYPE3  = 'X       '",
                               "TFORM3  = '1E      '",           "TTYPE4  = 'Y       '",
                               "TFORM4  = '1E      '",           "TTYPE5  = 'Z       '",
                               "TFORM5  = '1E      '",           "END"}) +
                    data + std::string(2880 - data.size(), '\0'));
  NoProgress silent;
  io::ColumnSelection columns;
  columns.where = "ID == 5853498713190525698";
  const io::PointTable table = io::read_point_table(file.path(), columns, silent);
  REQUIRE(table.rows() == 1);
  for (const std::size_t column : {std::size_t{0}, std::size_t{1}})
    CHECK(io::exact_text(table.at(0, column), table.carried.rest_of(0, column)) ==
          "5853498713190525698");
}
#endif

}  // namespace skde::test
