// Files of several blocks are read on several threads: whatever they hold, the result is that of reading one event after the other, which
// the notes and the order of rows show.
#include "ingest/chrome_trace/event_blocks.h"

#include <gtest/gtest.h>

#include <new>

#include "ingest/chrome_trace/testing.h"

namespace frx::ingest::trace {
namespace {

using ::frx::testing::event;
using ::frx::testing::trace_of;
using ::frx::testing::trace_with;
using model::Timeline;

constexpr std::size_t bytes = std::size_t{5} << 20;

// Event i begins at i microseconds, under one of 1,000 names that occur over the whole file.
std::string numbered(std::size_t i) {
  return event(i % 3 == 0 ? "kernel" : "cpu_op", "name " + std::to_string(i / 40 % 1000), i % 3 == 0 ? "0/7" : "1/1",
               static_cast<double>(i), 1, "\"correlation\": " + std::to_string(i + 1));
}

// Many events, and `strange` in the middle of them.
std::string many(const std::string& strange, std::size_t& count) {
  std::string events;
  bool done = false;
  for (count = 0; events.size() < bytes; ++count) {
    events += numbered(count);
    if (done || events.size() < bytes / 2) continue;
    events += strange;
    done = true;
  }
  return events;
}

void expect_numbered(const Timeline& t, std::size_t count) {
  ASSERT_EQ(t.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(t.start[i], static_cast<std::int64_t>(i) * 1000);
    ASSERT_EQ(t.correlation[i], i + 1);
    ASSERT_EQ(t.name_of(i), "name " + std::to_string(i / 40 % 1000));
    ASSERT_EQ(t.name[i], i / 40 % 1000);  // in the order of the file
    ASSERT_EQ(t.tracks[t.track[i]].stream, i % 3 == 0 ? 7 : -1);
  }
}

std::string notes_of(const Timeline& timeline) {
  std::string text;
  for (const model::Note& note : timeline.notes) text += note.text + "\n";
  return text;
}

TEST(EventBlocks, KeepTheOrderOfTheFile) {
  std::size_t count = 0;
  const Timeline t = trace_of(trace_with(many("", count)));
  expect_numbered(t, count);
  EXPECT_EQ(notes_of(t), "");
}

TEST(EventBlocks, AreReadOnBehindWhatIsNoEvent) {
  std::size_t count = 0;
  const Timeline t = trace_of(trace_with(many("7, \"x\", null,", count)));
  expect_numbered(t, count);
  EXPECT_EQ(notes_of(t), "3 values that are no events left out\n");
}

TEST(EventBlocks, NameThePlaceOfDamage) {
  std::size_t count = 0;
  const std::string text = trace_with(many(R"({"ph":"X","cat":"kernel","name" "broken","pid":0},)", count));
  const Timeline t = trace_of(text);
  expect_numbered(t, count);
  const std::string place = std::to_string(text.find(",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\" \"broken\""));
  EXPECT_EQ(notes_of(t), "1 damaged place in the text between events, the first at byte " + place + "; what stood there is left out\n");
}

// Text that looks like the beginning of an event in a long string, where a block might end.
TEST(EventBlocks, AreNotMisledByTextThatLooksLikeEvents) {
  std::string inside;
  while (inside.size() < bytes) inside += R"(}, {"ph" x )";
  std::size_t count = 0;
  const Timeline t = trace_of(trace_with(many(R"({"ph": "i", "s": ")" + inside + R"("},)", count)));
  expect_numbered(t, count);
  EXPECT_EQ(notes_of(t), "");
}

TEST(EventBlocks, AreNotMisledByEventsWithinEvents) {
  std::string inside = "0";
  while (inside.size() < bytes) inside += R"(, {"ph": "X", "cat": "kernel", "name": "no", "pid": 0, "tid": 7, "ts": 1, "dur": 1})";
  std::size_t count = 0;
  const Timeline t = trace_of(trace_with(many(R"({"ph": "i", "args": {"list": [)" + inside + "]}},", count)));
  expect_numbered(t, count);
  EXPECT_EQ(notes_of(t), "");
}

TEST(EventBlocks, EndWhereTheFileWasCut) {
  std::size_t count = 0;
  const std::string whole = trace_with(many("", count));
  const std::size_t last = whole.rfind("{\"ph\"");
  const Timeline t = trace_of(whole.substr(0, last + 30));
  expect_numbered(t, count - 1);
  EXPECT_NE(notes_of(t).find("(" + std::to_string(last - 1) + " bytes in)"), std::string::npos) << notes_of(t);
}

// Delivers its text, and then fails.
class Breaking : public ByteSource {
 public:
  explicit Breaking(std::string_view text) : text_(open_bytes(text)) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    TRY_ASSIGN(const std::size_t read, text_->read(buffer));
    if (read > 0) return read;
    return fail(ErrorKind::unreadable, "the disk is gone");
  }

 private:
  std::unique_ptr<ByteSource> text_;
};

TEST(EventBlocks, LoseNothingBeforeAFailureOfTheSource) {
  std::string events;
  for (std::size_t i = 0; i < 20; ++i) events += numbered(i);
  const std::string text = trace_with(events);
  for (const std::size_t block_size : {0u, 60u, 400u, 1u << 20}) {
    Breaking source(std::string_view(text).substr(0, text.size() - 2));
    const Result<Timeline> t = read_trace("t.json", source, {.block_size = block_size});
    ASSERT_TRUE(t);
    expect_numbered(*t, 20);
    EXPECT_EQ(notes_of(*t).find("the disk is gone, so it ends inside the list of events, behind 20 events"), 0u) << notes_of(*t);
  }
}

TEST(EventBlocks, LeaveWhatStandsBehindTheEvents) {
  std::size_t count = 0;
  const std::string text = trace_with(many("", count));
  const Timeline t = trace_of(text.substr(0, text.size() - 1) + R"(, "baseTimeNanoseconds": 5} more)");
  expect_numbered(t, count);
  EXPECT_EQ(t.facts.base_time_ns, 5);
  EXPECT_NE(notes_of(t).find("more data follows the trace"), std::string::npos);
}

// Memory that is refused, or a reader that is cancelled, ends the other threads as well, which wait for their turn.
TEST(EventBlocks, EndTogetherWhenOneOfThemFails) {
  std::size_t count = 0;
  const std::string text = trace_with(many("", count));
  for (std::uint64_t calls = 1; calls <= 3; ++calls) {
    const std::unique_ptr<ByteSource> source = open_bytes(text);
    std::uint64_t left = calls;
    const auto refuse = [&](std::uint64_t) {
      if (--left == 0) throw std::bad_alloc();
    };
    EXPECT_THROW(static_cast<void>(read_trace("t.json", *source, {.progress = refuse, .block_size = 1 << 16})), std::bad_alloc) << calls;
  }
}

}  // namespace
}  // namespace frx::ingest::trace
