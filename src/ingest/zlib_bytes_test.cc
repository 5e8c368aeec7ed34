#include "ingest/zlib_bytes.h"

#include <gtest/gtest.h>

namespace frx::ingest {
namespace {

TEST(ZlibBytes, WhatIsPackedIsUnpacked) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'b')}) {
    const std::string packed = zlib_packed(text);
    EXPECT_EQ(zlib_unpacked(packed, text.size()), text);
    EXPECT_FALSE(zlib_unpacked(packed, text.size() + 1));
    EXPECT_FALSE(zlib_unpacked(packed.substr(0, packed.size() - 1), text.size()));
  }
  EXPECT_FALSE(zlib_unpacked(zlib_packed("abc"), 2));
}

}  // namespace
}  // namespace frx::ingest
