#include "capture/zip_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_directory.h"
#include "capture/host.h"
#include "ingest/run_bundle/zip_archive.h"

namespace frx::capture {
namespace {

Result<> write(const std::string& path, const std::vector<std::pair<std::string, std::string>>& files) {
  TRY_ASSIGN(ZipWriter zip, ZipWriter::create(path));
  for (const auto& [name, content] : files) {
    const std::unique_ptr<ByteSource> source = open_bytes(content);
    TRY(zip.add(name, *source, 1'700'000'000));
  }
  return zip.finish();
}

std::vector<std::pair<std::string, std::string>> sample() {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += fmt::format("{{\"step\": {}}}\n", i);
  return {{"run-1/empty", ""}, {"run-1/raw/trace.jsonl", lines}, {"run-1/bytes", std::string("\0\xff", 2)}};
}

TEST(ZipWriter, OurReaderReadsIt) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ASSERT_TRUE(write(folder.file("a.zip"), sample()));
  const auto archive = ingest::ZipArchive::open(ingest::open_random_access(folder.file("a.zip")).value());
  ASSERT_TRUE(archive) << to_string(archive.error());
  ASSERT_EQ(archive->members().size(), sample().size());
  for (std::size_t i = 0; i < sample().size(); ++i) {
    EXPECT_EQ(archive->members()[i].path, sample()[i].first);
    const auto source = archive->open_member(archive->members()[i]);
    ASSERT_TRUE(source);
    std::string text(sample()[i].second.size() + 1, '\0');
    const Result<std::size_t> got = (*source)->read(text);
    ASSERT_TRUE(got) << to_string(got.error());
    text.resize(*got);
    EXPECT_EQ(text, sample()[i].second);
  }
}

TEST(ZipWriter, PythonReadsIt) {
  const std::optional<std::string> python = this_machine().program("python3");
  if (!python) GTEST_SKIP() << "no python3";
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  ASSERT_TRUE(write(folder.file("a.zip"), sample()));
  ChildCommand command;
  command.argv = {*python, "-c",
                  "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n"
                  "for i in z.infolist(): print(i.filename, i.file_size, i.date_time, oct(i.external_attr >> 16))",
                  folder.file("a.zip")};
  const Result<Exit> exit = run_process(command);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->out, fmt::format("run-1/empty 0 (2023, 11, 14, 22, 13, 20) 0o100600\n"
                                   "run-1/raw/trace.jsonl {} (2023, 11, 14, 22, 13, 20) 0o100600\n"
                                   "run-1/bytes 2 (2023, 11, 14, 22, 13, 20) 0o100600\n",
                                   sample()[1].second.size()))
      << exit->err;
}

TEST(ZipWriter, MoreMembersThanTheShortRecordCounts) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 70000; ++i) files.emplace_back(fmt::format("f{}", i), "");
  ASSERT_TRUE(write(folder.file("a.zip"), files));
  const auto archive = ingest::ZipArchive::open(ingest::open_random_access(folder.file("a.zip")).value());
  ASSERT_TRUE(archive) << to_string(archive.error());
  EXPECT_EQ(archive->members().size(), 70000u);
}

TEST(ZipWriter, LeavesNothingBehindWithoutAnEnd) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  {
    Result<ZipWriter> zip = ZipWriter::create(folder.file("a.zip"));
    ASSERT_TRUE(zip);
    const std::unique_ptr<ByteSource> source = open_bytes("text");
    ASSERT_TRUE(zip->add("name", *source, 0));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace frx::capture
