#include "base/sha256.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

// The examples of NIST, and what sha256sum prints.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotCareHowTheBytesCome) {
  for (const std::size_t size : {55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 128u, 1000u}) {
    const std::string bytes(size, 'x');
    for (const std::size_t piece : {1u, 7u, 63u, 64u, 65u}) {
      Sha256 hash;
      for (std::size_t at = 0; at < size; at += piece) hash.add(std::string_view(bytes).substr(at, piece));
      EXPECT_EQ(hash.finish(), sha256(bytes)) << size << " bytes by " << piece;
    }
  }
}

TEST(Sha256, SaysWhichFileItCannotRead) {
  const Result<std::string> hash = sha256_of_file("/nonexistent");
  ASSERT_FALSE(hash);
  EXPECT_EQ(hash.error().where, "/nonexistent");
}

}  // namespace
}  // namespace frx
