#include "ingest/chrome_trace/event_layouts.h"

#include <gtest/gtest.h>

namespace frx::ingest::trace {
namespace {

// Holds its text with the padding that JsonCursor and EventLayouts may read.
class Text {
 public:
  explicit Text(std::string text) : size_(text.size()), bytes_(std::move(text)) { bytes_.append(JsonCursor::padding, '\0'); }
  const char* begin() const { return bytes_.data(); }
  const char* end() const { return bytes_.data() + size_; }

 private:
  std::size_t size_;
  std::string bytes_;
};

void learn(EventLayouts& layouts, const std::string& event) {
  const Text text(event);
  JsonCursor cursor(text.begin(), text.end());
  EventFields fields;
  bool is_event = false;
  std::vector<EventValue> values;
  ASSERT_TRUE(read_event(cursor, fields, is_event, &values));
  layouts.learn(text.begin(), cursor.at(), values);
}

// How many bytes were read; 0 when the layout is not known.
std::size_t read(EventLayouts& layouts, const Text& text, EventFields& fields) {
  const char* const next = layouts.read(text.begin(), text.end(), fields);
  return next ? static_cast<std::size_t>(next - text.begin()) : 0;
}

const std::string known = R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": [1, "]"], "correlation": 7}})";

TEST(EventLayouts, ReadsWhatIsLaidOutLikeAnEarlierEvent) {
  EventLayouts layouts;
  learn(layouts, known);
  const std::string event = R"({"ph": "i", "name": "bcd", "ts": 23.5, "args": {"x": [[], "}"], "correlation": 89}})";
  const Text text(event + ", {");
  EventFields fields;
  ASSERT_EQ(read(layouts, text, fields), event.size());
  EXPECT_EQ(fields.phase.raw, "i");
  EXPECT_EQ(fields.name.raw, "bcd");
  EXPECT_EQ(fields.name.kind, Token::text);
  EXPECT_EQ(fields.time.raw, "23.5");
  EXPECT_EQ(fields.time.kind, Token::scalar);
  EXPECT_EQ(fields.correlation.raw, "89");
  EXPECT_EQ(fields.duration.kind, Token::nothing);
}

TEST(EventLayouts, LeavesToOthersWhatItHasNotSeen) {
  EventLayouts layouts;
  learn(layouts, known);
  EventFields fields;
  for (const std::string event : {
           R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": [1], "correlation" : 7}})",        // a blank more
           R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": [1], "device": 7}})",              // another key
           R"({"ph": "X", "name": "a", "ts": "1", "args": {"x": [1], "correlation": 7}})",       // another kind of value
           R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": {}, "correlation": 7}})",          // the same
           R"({"ph": "X", "name": "a\n", "ts": 1, "args": {"x": [1], "correlation": 7}})",       // an escape
           R"_({"ph": "X", "name": "f("x")", "ts": 1, "args": {"x": [1], "correlation": 7}})_",  // a stray quote
           R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": ["\"]"], "correlation": 7}})",     // an escape in a list
           R"({"ph": "X", "name": "a", "ts": 1, "args": {"x": [1], "correlation": 7)",           // cut
       }) {
    EXPECT_EQ(read(layouts, Text(event), fields), 0u) << event;
  }
}

TEST(EventLayouts, KnowsSeveralLayoutsThatBeginAlike) {
  EventLayouts layouts;
  const std::string events[] = {R"({"ph": "X", "ts": 1})",
                                R"({"ph": "X", "ts": "1"})",
                                R"({"ph": "X", "ts": [1]})",
                                R"({"ph": "X", "tid": 1})",
                                R"({"ph": "X"})",
                                "{}"};
  for (const std::string& event : events) learn(layouts, event);
  for (const std::string& event : events) {
    EventFields fields;
    EXPECT_EQ(read(layouts, Text(event), fields), event.size()) << event;
  }
}

TEST(EventLayouts, TakesTheLastOfEqualKeys) {
  EventLayouts layouts;
  learn(layouts, R"({"tid": 1, "tid": 2})");
  EventFields fields;
  const Text text(R"({"tid": 3, "tid": 4})");  // the fields point into it
  ASSERT_GT(read(layouts, text, fields), 0u);
  EXPECT_EQ(fields.tid.raw, "4");
}

TEST(EventLayouts, StopsLearningWhenEveryEventIsAnother) {
  EventLayouts layouts;
  for (int i = 0; i < 10'000; ++i) learn(layouts, "{\"key" + std::to_string(i) + "\": 1}");
  EventFields fields;
  EXPECT_GT(read(layouts, Text(R"({"key0": 2})"), fields), 0u);
  EXPECT_EQ(read(layouts, Text(R"({"key9999": 2})"), fields), 0u);
}

}  // namespace
}  // namespace frx::ingest::trace
