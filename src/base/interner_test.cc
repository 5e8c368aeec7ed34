#include "base/interner.h"

#include <gtest/gtest.h>

#include <string>

namespace frx {
namespace {

TEST(Interner, KeepsACopyOfEachTextOnce) {
  Interner texts;
  std::string name = "aten::mm";
  const std::uint32_t id = texts.add(name);
  name = "overwritten";
  EXPECT_EQ(texts[id], "aten::mm");
  EXPECT_EQ(texts.add("aten::mm"), id);
  EXPECT_EQ(texts.find("aten::mm"), id);
  EXPECT_EQ(texts.find("aten::add"), 0xFFFFFFFF);
  EXPECT_EQ(texts.size(), 1u);
}

TEST(Interner, TakesTextsOfEverySize) {
  Interner texts;
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(texts[texts.add("")], "");
  EXPECT_EQ(texts[texts.add(large)], large);
  for (int i = 0; i < 20000; ++i) texts.add("name " + std::to_string(i));
  EXPECT_EQ(texts[texts.find("name 19999")], "name 19999");
  EXPECT_EQ(texts.size(), 20002u);
}

}  // namespace
}  // namespace frx
