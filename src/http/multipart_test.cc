#include "http/multipart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "field|filename|type|bytes" of each part, or the error; fed in pieces of this size.
std::vector<std::string> parts_of(std::string_view body, std::size_t piece, std::string_view boundary = "b") {
  std::vector<std::string> parts;
  MultipartReader reader(boundary, {[&](const Part& part) -> Result<> {
                                      parts.push_back(part.field + "|" + part.filename + "|" + part.content_type + "|");
                                      return {};
                                    },
                                    [&](std::string_view bytes) -> Result<> {
                                      parts.back() += bytes;
                                      return {};
                                    }});
  for (std::size_t at = 0; at < body.size(); at += piece) {
    if (const Result<> read = reader.read(body.substr(at, piece)); !read) return {read.error().message};
  }
  if (const Result<> end = reader.end(); !end) return {end.error().message};
  return parts;
}

constexpr std::string_view two_parts =
    "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nfirst\r\n"
    "--b\r\ncontent-disposition: form-data; filename=\"x \\\"y\\\".cu\"; name=file\r\nContent-Type: Text/Plain; "
    "charset=x\r\n\r\n\r\n--bb\r\n\r\n--b--\r\n";

TEST(Multipart, IsReadInPiecesOfAnySize) {
  for (std::size_t piece = 1; piece <= two_parts.size(); ++piece) {
    EXPECT_THAT(parts_of(two_parts, piece), ElementsAre("a|||first", "file|x \"y\".cu|text/plain|\r\n--bb\r\n")) << piece;
  }
}

TEST(Multipart, HasEmptyPartsAndParts) {
  EXPECT_THAT(parts_of("--b--", 3), ElementsAre());
  EXPECT_THAT(parts_of("--b\r\n\r\n\r\n--b\r\nX: y\r\n\r\n\r\n--b--trailing words\r\n", 5), ElementsAre("|||", "|||"));
}

TEST(Multipart, DamagedOnesAreRefused) {
  for (const std::size_t piece : {1, 7, 1000}) {
    EXPECT_THAT(parts_of("", piece), ElementsAre(HasSubstr("its last boundary is missing")));
    EXPECT_THAT(parts_of("GET / HTTP/1.1", piece), ElementsAre(HasSubstr("does not begin with its boundary")));
    EXPECT_THAT(parts_of("--bx\r\n", piece), ElementsAre(HasSubstr("not alone on its line")));
    EXPECT_THAT(parts_of(two_parts.substr(0, 60), piece), ElementsAre(HasSubstr("its last boundary is missing")));
    EXPECT_THAT(parts_of("--b\r\nX: " + std::string(20'000, 'x'), piece), ElementsAre(HasSubstr("too long")));
  }
}

TEST(Multipart, BoundaryIsThatOfTheHeader) {
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(boundary_of("multipart/form-data; charset=x; Boundary=\"a b;c\""), "a b;c");
  EXPECT_EQ(boundary_of("multipart/form-data"), "");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(71, 'x')), "");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=\"a\nb\""), "");
}

}  // namespace
}  // namespace frx::http
