#include "capture/kept_output.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::capture {
namespace {

// What a file of at most `limit` bytes holds after these pieces.
std::string kept_of(std::uint64_t limit, const std::vector<std::string>& pieces) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  KeptOutput output = KeptOutput::make(folder.file("out"), limit).value();
  std::uint64_t bytes = 0;
  for (const std::string& piece : pieces) {
    output.take(piece);
    bytes += piece.size();
  }
  output.finish();
  EXPECT_EQ(output.bytes(), bytes);
  EXPECT_EQ(output.error(), "");
  return read_file(folder.file("out")).value();
}

TEST(KeptOutput, KeepsAllOfWhatFits) {
  EXPECT_EQ(kept_of(10, {}), "");
  EXPECT_EQ(kept_of(10, {"0123", "456789"}), "0123456789");
}

// Of 10 bytes, the first 5 and the last 5.
TEST(KeptOutput, LeavesOutTheMiddle) {
  EXPECT_EQ(kept_of(10, {"0123456789A"}), "01234\n[frx: 1 bytes left out]\n6789A");
  EXPECT_EQ(kept_of(10, {"0123", "456789", "ABCDEF", "GH"}), "01234\n[frx: 8 bytes left out]\nDEFGH");
  EXPECT_EQ(kept_of(10, {"01234", std::string(1000, 'x'), "end", "."}), "01234\n[frx: 999 bytes left out]\nxend.");
}

TEST(KeptOutput, KeepsNothingWhereNothingIsAllowed) { EXPECT_EQ(kept_of(0, {"012"}), "\n[frx: 3 bytes left out]\n"); }

TEST(KeptOutput, IsThereWhileItGrows) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  KeptOutput output = KeptOutput::make(folder.file("out"), 8).value();
  output.take("0123");
  EXPECT_EQ(read_file(folder.file("out")).value(), "0123");
  output.take("456789");
  EXPECT_EQ(read_file(folder.file("out")).value(), "01234567");
}

TEST(KeptOutput, SaysWhatCannotBeWritten) {
  EXPECT_EQ(KeptOutput::make("/no/such/folder/out", 8).error().where, "/no/such/folder/out");
  KeptOutput full = KeptOutput::make("/dev/full", 8).value();
  full.take("0123");
  EXPECT_EQ(full.error(), "/dev/full is not complete: No space left on device");
  EXPECT_EQ(full.bytes(), 4U);
}

}  // namespace
}  // namespace frx::capture
