#include <limits>

#include "io/reader_support.hpp"
#include "io/values/npy_header.hpp"

namespace skde::test {
namespace {

std::string npy(const std::string& descr, const std::string& shape, const std::string& body,
                bool fortran = false, int version = 1) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }";
  const std::size_t lead = version == 1 ? 10 : 12;
  while ((lead + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  const auto length = static_cast<double>(text.size());
  bytes += version == 1 ? stored<std::uint16_t>({length}) : stored<std::uint32_t>({length});
  return bytes + text + body;
}

/// An NPY file of version 1.0 with the header `text`, unchanged.
std::string npy_with_header(const std::string& text) {
  return "\x93NUMPY" + std::string("\x01\0", 2) +
         stored<std::uint16_t>({static_cast<double>(text.size())}) + text;
}

const io::ColumnSelection kWeighted{{}, "4"};

}  // namespace

TEST_CASE("NPY arrays are read in C and Fortran order, both byte orders, versions 1 to 3",
          "[npy]") {
  const int version = GENERATE(1, 2, 3);
  const bool big = GENERATE(false, true);
  const std::string order = big ? ">" : "<";
  const std::vector<double> xyz{1, 2, 3, 4, 5, 6};
  check_rows("a.npy",
             npy(order + "f8", "(2, 3)", stored<double>({1, 2, 3, 4, 5, 6}, big), false, version),
             xyz);
  check_rows("a.npy",
             npy(order + "f4", "(2, 3)", stored<float>({1, 4, 2, 5, 3, 6}, big), true, version),
             xyz);
  check_rows("a.npy",
             npy(order + "f4", "(2, 5)", stored<float>({1, 2, 3, .5, 9, 4, 5, 6, 0, 9}, big), false,
                 version),
             xyz, kWeighted, {.5, 0});
  check_rows("a.npy",
             npy(order + "f8", "(2, 5)", stored<double>({1, 4, 2, 5, 3, 6, .5, 0, 9, 9}, big), true,
                 version),
             xyz, kWeighted, {.5, 0});
}

TEST_CASE("NPY doubles are kept to the bit and integers read", "[npy]") {
  const std::initializer_list<double> values{0.1, 451234.56789012345, 5e-324};
  check_rows("a.npy", npy("<f8", "(1, 3)", stored<double>(values)), values);
  check_rows("a.npy", npy("|i1", "(1, 3)", stored<std::int8_t>({-1, 2, 3})), {-1, 2, 3});
  check_rows("a.npy", npy(">u2", "(1L, 3L)", stored<std::uint16_t>({65535, 2, 3}, true)),
             {65535, 2, 3});
  check_rows("a.npy", npy("<i8", "(1,3)", stored<std::int64_t>({-1e15, 2, 3})), {-1e15, 2, 3});
}

TEST_CASE("NPY records may hold bytes, which have no order, beside numbers of either order",
          "[npy]") {
  const std::string text =
      "{'descr': [('x', '|i1'), ('y', '>f4'), ('z', '>i2')], 'fortran_order': False, "
      "'shape': (2,), }";
  const auto row = [](double x, double y, double z) {
    return stored<std::int8_t>({x}) + stored<float>({y}, true) + stored<std::int16_t>({z}, true);
  };
  check_rows("a.npy", npy_with_header(text) + row(1, 2.5, 3) + row(-4, 5, -600),
             {1, 2.5, 3, -4, 5, -600});
}

TEST_CASE("NPY columns have numbers and may come in any order", "[npy]") {
  const std::string c = npy("<f8", "(2, 4)", stored<double>({1, 2, 3, 4, 5, 6, 7, 8}));
  check_rows("a.npy", c, {4, 1, 2, 8, 5, 6}, {{"4", "1", "2"}, "1"}, {1, 5});
  const std::string f = npy("<f8", "(2, 4)", stored<double>({1, 5, 2, 6, 3, 7, 4, 8}), true);
  check_rows("a.npy", f, {4, 1, 2, 8, 5, 6}, {{"4", "1", "2"}, "1"}, {1, 5});
  check_error(
      [&] {
        read_bytes("a.npy", c, {{"x", "y", "z"}, ""});
      },
      ErrorKind::usage, {"no column 'x'", "no names; use numbers 1 to 4"});
  check_error([&] { read_bytes("a.npy", c, {{}, "5"}); }, ErrorKind::usage, {"no column '5'"});
}

TEST_CASE("NPY Fortran order is read from a real file in windows", "[npy]") {
  std::string columns[3];
  std::vector<double> expected;
  constexpr int kRows = 70000;  // more than a window
  for (int i = 0; i < kRows; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      columns[axis] += stored<float>({double(axis * 100000 + i)});
      expected.push_back(axis * 100000 + i);
    }
  }
  const TemporaryFile file("fortran.npy",
                           npy("<f4", "(70000, 3)", columns[0] + columns[1] + columns[2], true));
  const auto reader = io::open_points(file.path(), {});
  const ReadRows rows = drain(*reader, 30000);
  CHECK(rows.xyz == expected);
  CHECK(rows.places.back() == "row 70000");
  CHECK(reader->bytes_read() == reader->bytes_total());
}

TEST_CASE("NPY headers that lie about the shape are refused before anything is allocated",
          "[npy]") {
  const std::string body(24, '\0');
  for (bool fortran : {false, true}) {
    check_refused("a.npy", npy("<f8", "(1000000000000, 3)", body, fortran),
                  {"1000000000000 rows", "only 24 bytes"});
    check_refused("a.npy", npy("<f8", "(18446744073709551615, 4)", body, fortran),
                  {"more than any file can hold"});
    check_refused("a.npy", npy("<f8", "(2, 3)", body, fortran), {"2 rows", "only 24 bytes"});
    check_refused("a.npy", npy("<f4", "(1, 3)", body, fortran), {"bytes follow the 1 rows"});
  }
  check_refused("a.npy", npy("<f8", "(99999999999999999999, 3)", body), {"cannot be read"});
  check_error([&] { read_pipe("a.npy", npy("<f8", "(2, 3)", body)); }, ErrorKind::input,
              {"row 2 of 2 is truncated"});
  check_error([&] { read_pipe("a.npy", npy("<f8", "(2, 3)", body, true)); }, ErrorKind::input,
              {"column 2 of 2 rows is truncated"});
  check_error(
      [&] {
        read_pipe("a.npy", npy("<f8", "(2, 3)", body, true), {{"3", "2", "3"}, ""});
      },
      ErrorKind::usage, {"twice"});
}

TEST_CASE("NPY shapes from a pipe are believed only as bytes arrive", "[npy]") {
  const std::size_t all = std::size_t{1} << 60;
  for (bool fortran : {false, true}) {
    const std::string bytes = npy("<f8", "(1000000000000, 3)", std::string(48, '\0'), fortran);
    check_error([&] { read_pipe("a.npy", bytes, {}, all); }, ErrorKind::input, {"truncated"});
  }
}

TEST_CASE("NPY arrays of other shapes and types are refused", "[npy]") {
  const std::string body(96, '\0');
  check_refused("a.npy", npy("<f4", "(2, 2, 2)", body), {"shape (2, 2, 2)", "(N, 3)"});
  check_refused("a.npy", npy("<f4", "(9,)", body), {"shape (9)", "reshape"});
  check_refused("a.npy", npy("<f4", "()", body), {"shape ()"});
  check_refused("a.npy", npy("<f4", "(3, 2)", body), {"save its transpose"});
  check_refused("a.npy", npy("<f4", "(1, 1000000)", body), {"(1, 1000000)"});
  check_refused("a.npy", npy("<c16", "(2, 3)", body), {"type '<c16'", "float32 or float64"});
  check_refused("a.npy", npy("<f16", "(2, 3)", body), {"type '<f16'"});
  check_refused("a.npy", npy_with_header("{'descr': [('x', 'O')], 'shape': (3,)}"), {"type 'O'"});
  check_refused("a.npy", npy_with_header("{'descr': [('a', [('x', '<f4')])], 'shape': (3,)}"),
                {"field 'a' of its records is itself a record"});
}

TEST_CASE("NPY headers that are broken are refused", "[npy]") {
  check_refused("a.npy", "NUMPY", {"first bytes"});
  check_refused("a.npy", "\x93NUMPY\x01", {"ends inside the header"});
  check_refused("a.npy", "\x93NUMPY\x09 ", {"version 9"});
  check_refused("a.npy", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), {"4294967295 bytes"});
  check_refused("a.npy", std::string("\x93NUMPY\x01\0\x40\0{", 11), {"ends inside the header"});
  check_refused("a.npy", npy_with_header("{'descr': '<f8'}"), {"the NPY header lacks"});
  check_refused("a.npy", npy_with_header("{'descr': '<f8', 'colour': 1}"), {"'colour'"});
  check_refused("a.npy", npy_with_header("{'descr': '<f8"), {"cannot be read"});
  check_refused("a.npy", npy_with_header("{'fortran_order': Maybe}"), {"character 19"});
  check_refused("a.npy", npy_with_header("{'shape': (3; 3)}"), {"character 13"});
  check_refused("a.npy", npy_with_header("{'descr': '<f8' 'shape': (3, 3)}"), {"character 17"});
}

TEST_CASE("a list of one extent is written as Python writes it", "[npy]") {
  CHECK(io::npy_header(Precision::f64, {5}).find("'shape': (5,), }") != std::string::npos);
  CHECK(io::npy_header(Precision::f32, {5, 3}).find("'shape': (5, 3), }") != std::string::npos);
}

TEST_CASE("NPY halves are read: whole, tiny, infinite", "[npy]") {
  const std::string bytes("\x00\x3e\x00\xc0\xff\x7b\x01\x00\xff\x03\x00\xfc", 12);
  check_rows("a.npy", npy("<f2", "(2, 3)", bytes),
             {1.5, -2, 65504, 5.960464477539063e-08, 6.097555160522461e-05,
              -std::numeric_limits<double>::infinity()});
}

}  // namespace skde::test
