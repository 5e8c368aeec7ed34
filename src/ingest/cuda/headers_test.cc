#include "ingest/cuda/headers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::ingest::cuda {
namespace {

class CudaHeaders : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  // The body of a macro that a header defines for a file, "" where there is none.
  std::string body(const std::string& file, std::string_view name, const HeaderFolders& folders) {
    const std::vector<std::string> files{file};
    const Headers headers(folders, files);
    HeaderMacros macros(headers, file);
    const MacroDefinition* found = macros.find(name);
    return found ? found->macro.body : "";
  }
  std::string body(const std::string& file, std::string_view name) { return body(file, name, {{folder_.path() + "/src"}, {}}); }

  TemporaryDirectory folder_ = TemporaryDirectory::make("/tmp").value();
};

TEST_F(CudaHeaders, AreFoundBesideTheFileBelowTheFolderAndByTheEndOfTheirPath) {
  write("src/a/beside.h", "#define BESIDE 1\n");
  write("src/lib/below.h", "#define BELOW 2\n#include \"deeper/more.h\"\n");
  write("src/other/include/lib/deeper/more.h", "#define MORE 3\n#include <lib/below.h>\n");
  const std::string file = write("src/a/k.cu", "#include \"beside.h\"\n#include <lib/below.h>\n");
  EXPECT_EQ(body(file, "BESIDE"), "1");
  EXPECT_EQ(body(file, "BELOW"), "2");
  EXPECT_EQ(body(file, "MORE"), "3");
  EXPECT_EQ(body(file, "NONE"), "");
}

TEST_F(CudaHeaders, OutsideOfTheFoldersNothingIsRead) {
  write("secret.h", "#define SECRET 1\n");
  const std::string file = write("src/k.cu", "#include \"../secret.h\"\n#include \"/etc/passwd\"\n");
  EXPECT_EQ(body(file, "SECRET"), "");
  EXPECT_EQ(body(file, "SECRET", {{folder_.path() + "/src"}, {folder_.path()}}), "1");
}

TEST_F(CudaHeaders, WhatDeviceCodeUsesIsInFilesThatOthersInclude) {
  const std::string row = write("src/row.h", "#include \"deeper.h\"\n__device__ int row(int i) { return i; }\n");
  const std::string deeper = write("src/deeper.h", "#define MY_DEVICE __device__\n");
  const std::string matrix = write("src/matrix.h", "struct Matrix {\n  float* data;\n};\n");
  write("src/host.h", "int host();\n");
  write("src/unused.h", "__device__ int unused();\n");
  const std::string file = write("src/k.cu", "#include \"matrix.h\"\n#include \"row.h\"\n#include \"host.h\"\n");
  const std::string other = write("src/other.cu", "int other();\n");
  const Headers headers({{folder_.path() + "/src"}, {}}, std::vector{file, other});
  EXPECT_EQ(headers.used_by_device_code(std::vector{file}), (std::vector{row, deeper, matrix}));
  EXPECT_TRUE(headers.used_by_device_code(std::vector{other}).empty());
  // What is asked about is not among what it includes, but another file that was given is.
  const Headers both({{folder_.path() + "/src"}, {}}, std::vector{row, file});
  EXPECT_EQ(both.used_by_device_code(std::vector{file, row}), (std::vector{deeper, matrix}));
  EXPECT_EQ(both.used_by_device_code(std::vector{file}), (std::vector{row, deeper, matrix}));
}

TEST_F(CudaHeaders, TwoDefinitionsAreNone) {
  write("src/one.h", "#define N 1\n#define M 1\n");
  write("src/two.h", "#define N 2\n#define M 1\n");
  const std::string file = write("src/k.cu", "#include \"one.h\"\n#include \"two.h\"\n");
  EXPECT_EQ(body(file, "N"), "");
  EXPECT_EQ(body(file, "M"), "1");
}

}  // namespace
}  // namespace frx::ingest::cuda
