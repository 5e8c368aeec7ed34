#include "base/made_once.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace frx {
namespace {

TEST(MadeOnce, MakesWhatIsAskedForAndKeepsIt) {
  const MadeOnce<std::string> words(3);
  int made = 0;
  const auto make = [&] { return std::to_string(++made); };
  const std::string& second = words.at(1, make);
  EXPECT_EQ(second, "1");
  EXPECT_EQ(&words.at(1, make), &second);
  EXPECT_EQ(words.at(2, make), "2");
  EXPECT_EQ(made, 2);
}

TEST(MadeOnce, KeepsItsThingsInPlaceWhenItIsMoved) {
  MadeOnce<std::string> words(1);
  const std::string* const first = &words.at(0, [] { return std::string("kept"); });
  MadeOnce<std::string> others(2);
  others.at(1, [] { return std::string("not ours"); });
  others = std::move(words);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(&others.at(0, [] { return std::string("made again"); }), first);
}

TEST(MadeOnce, KeepsNothingOfAFailure) {
  const MadeOnce<std::string> words(1);
  const Result<> failed = words.try_at(0, []() -> Result<std::string> { return fail(ErrorKind::malformed, "no word"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no word");
  EXPECT_TRUE(words.try_at(0, []() -> Result<std::string> { return std::string("word"); }));
  EXPECT_EQ(words.at(0, [] { return std::string("another"); }), "word");
}

TEST(MadeOnce, GivesAllThreadsTheSame) {
  constexpr std::size_t count = 200;
  const MadeOnce<std::string> words(count);
  std::vector<std::vector<const std::string*>> seen(4);
  std::vector<std::thread> threads;
  for (std::vector<const std::string*>& mine : seen) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < count; ++i) mine.push_back(&words.at(i, [&] { return std::to_string(i); }));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(*seen[0][i], std::to_string(i));
  for (const std::vector<const std::string*>& mine : seen) EXPECT_EQ(mine, seen[0]);
}

}  // namespace
}  // namespace frx
