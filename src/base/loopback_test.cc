#include "base/loopback.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

TEST(Loopback, IsTheMachineItself) {
  for (const char* name : {"127.0.0.1", "127.8.0.1", "::1", "localhost"}) EXPECT_TRUE(is_loopback(name)) << name;
  for (const char* name : {"0.0.0.0", "::", "10.0.0.1", "example.com", ""}) EXPECT_FALSE(is_loopback(name)) << name;
}

TEST(Loopback, IsNoNameThatBeginsLikeItsAddress) {
  for (const char* name : {"127.example.com", "127.0.0.1.example.com", "localhost.example.com"}) EXPECT_FALSE(is_loopback(name)) << name;
}

}  // namespace
}  // namespace frx
