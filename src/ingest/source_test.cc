#include "ingest/source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "support/deflate.h"

namespace frx::ingest {
namespace {

namespace fs = std::filesystem;

std::string gzipped(const std::string& text) { return frx::testing::deflated(text, frx::testing::as_gzip, 1); }

// Bytes that fail after the first of them, as a damaged archive does.
class Failing : public ByteSource {
 public:
  Result<std::size_t> read(std::span<char> buffer) override {
    if (given_) return fail(ErrorKind::malformed, "damaged");
    given_ = true;
    buffer[0] = 'x';
    return std::size_t{1};
  }

 private:
  bool given_ = false;
};

TEST(Source, GivesTheHeadAndThenEverything) {
  const std::string text = "first line\n" + std::string(10000, 'a') + "\nlast";
  Source source = Source::of("memory", text);
  EXPECT_EQ(source.head().value(), text.substr(0, Source::head_bytes));
  EXPECT_EQ(source.head().value(), text.substr(0, Source::head_bytes));
  EXPECT_EQ(source.text(1 << 20).value(), text);
  EXPECT_EQ(source.text(1 << 20).value(), text) << "text in memory can be read again";
}

TEST(Source, UnpacksWhatIsPacked) {
  Source source = Source::of("trace.json.gz", gzipped("{\"traceEvents\": []}"));
  EXPECT_EQ(source.head().value(), "{\"traceEvents\": []}");
  EXPECT_EQ(source.text(1 << 20).value(), "{\"traceEvents\": []}");
}

TEST(Source, SaysThatAShortSourceIsDamaged) {
  Source source = Source::of("short", []() -> Result<std::unique_ptr<ByteSource>> { return std::make_unique<Failing>(); });
  EXPECT_EQ(source.head().value(), "x");
  EXPECT_FALSE(source.text(1 << 20)) << "the end of the head is not the end of the content";
}

TEST(Source, RefusesMoreThanTheLimit) {
  Source source = Source::of("large", std::string(100, 'a'));
  EXPECT_FALSE(source.text(99));
  EXPECT_TRUE(source.text(100));
}

TEST(Source, OfAFileIsReadAgainAfterItWasClosed) {
  const std::string path = fs::temp_directory_path() / ("frx_source_" + std::to_string(::getpid()));
  ASSERT_TRUE(write_file(path, "content"));
  Source source = Source::at(path);
  EXPECT_EQ(source.name(), path);
  EXPECT_EQ(source.head().value(), "content");
  source.release();
  EXPECT_EQ(source.text(100).value(), "content");
  const auto access = source.random_access();
  ASSERT_TRUE(access);
  EXPECT_EQ((*access)->size(), 7u);
  fs::remove(path);
}

TEST(Source, OfAPipeIsReadOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  Source source = Source::at("/dev/fd/" + std::to_string(ends[0]));
  EXPECT_FALSE(source.is_repeatable());
  EXPECT_EQ(source.head().value(), "abc");
  source.release();
  EXPECT_EQ(source.text(100).value(), "abc") << "what was looked at is not lost";
  const Result<std::string> again = source.text(100);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("only once"), std::string::npos);
  ::close(ends[0]);
}

TEST(Source, OfStandardInputIsThereForTheNextOneUntilItIsRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  const int before = ::dup(0);
  ::dup2(ends[0], 0);
  EXPECT_EQ(Source::at("-").head().value(), "abc");
  EXPECT_EQ(Source::at("-").text(100).value(), "abc");
  EXPECT_EQ(Source::at("-").text(100).value(), "");
  ::dup2(before, 0);
  ::close(before);
  ::close(ends[0]);
}

TEST(Source, KnowsFoldersAndWhatIsNotThere) {
  EXPECT_TRUE(Source::at(fs::temp_directory_path()).is_folder());
  Source missing = Source::at("/no/such/file");
  EXPECT_FALSE(missing.is_folder());
  const Result<std::string_view> head = missing.head();
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().where, "/no/such/file");
  EXPECT_EQ(Source::at("-").name(), "<stdin>");
}

}  // namespace
}  // namespace frx::ingest
