#include "knowledge/library.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::knowledge {
namespace {

TemporaryDirectory folder() { return TemporaryDirectory::make(::testing::TempDir()).value(); }

TEST(Library, HoldsTheBuiltInFilesInOrderOfTheirNames) {
  const Library library = Library::builtin();
  const std::vector<Value> gpus = library.folder("gpus");
  ASSERT_GE(gpus.size(), 5u);
  for (std::size_t i = 1; i < gpus.size(); ++i) EXPECT_LT(gpus[i - 1].where(), gpus[i].where());
  EXPECT_EQ(library.file("data/gpus/hopper.yaml")["architecture"].text(), "hopper");
  EXPECT_FALSE(library.file("data/gpus/none.yaml"));
  EXPECT_TRUE(library.folder("gpu").empty());
}

TEST(Library, ReplacesAFileOfTheSameNameAndAddsNewOnes) {
  const TemporaryDirectory files = folder();
  ASSERT_TRUE(write_file(files.file("gpus/hopper.yaml"), "architecture: mine\n"));
  ASSERT_TRUE(write_file(files.file("gpus/zz.yaml"), "architecture: new\n"));
  const Result<Library> library = Library::with_overrides(files.path());
  ASSERT_TRUE(library) << to_string(library.error());
  EXPECT_EQ(library->file("data/gpus/hopper.yaml")["architecture"].text(), "mine");
  EXPECT_EQ(library->file("data/gpus/zz.yaml")["architecture"].text(), "new");
  EXPECT_EQ(library->file("data/gpus/ada.yaml")["architecture"].text(), "ada");
  EXPECT_EQ(library->folder("gpus").size(), Library::builtin().folder("gpus").size() + 1);
}

TEST(Library, OutlivesAMoveAndACopy) {
  const TemporaryDirectory files = folder();
  ASSERT_TRUE(write_file(files.file("gpus/zz.yaml"), "architecture: new\n"));
  Result<Library> library = Library::with_overrides(files.path());
  ASSERT_TRUE(library);
  const Library copy = *library;
  library = Library::builtin();
  EXPECT_EQ(copy.file("data/gpus/zz.yaml")["architecture"].text(), "new");
}

TEST(Library, NamesFileAndLineOfBrokenYaml) {
  const TemporaryDirectory files = folder();
  ASSERT_TRUE(write_file(files.file("gpus/broken.yaml"), "architecture: a\nproducts: [\n"));
  const Result<Library> library = Library::with_overrides(files.path());
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().where.find("broken.yaml:"), std::string::npos) << library.error().where;
  EXPECT_EQ(library.error().kind, ErrorKind::malformed);
}

TEST(Library, RefusesAFolderThatIsNone) {
  const Result<Library> library = Library::with_overrides("/nowhere/at/all");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::unreadable);
}

TEST(Library, IgnoresFilesThatAreNotYaml) {
  const TemporaryDirectory files = folder();
  ASSERT_TRUE(write_file(files.file("gpus/readme.txt"), "[ not yaml"));
  EXPECT_TRUE(Library::with_overrides(files.path()));
}

}  // namespace
}  // namespace frx::knowledge
