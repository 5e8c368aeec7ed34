// A file that is written piece by piece and appears whole or not at all.
//
// The pieces go to a file without a name in the folder of the target where the file system can do that, so that
// even a killed program leaves nothing behind; elsewhere to a temporary name. What is no regular file (a pipe,
// /dev/null) is written directly.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frx {

class OutputFile {
 public:
  // Creates missing parent folders. A symbolic link stays one: what it points at is replaced.
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Without a commit() before it, the target is as it was.
  ~OutputFile();

  Result<> write(std::string_view bytes);
  // Gives the file its name. Nothing may be written afterwards.
  Result<> commit();

 private:
  OutputFile() = default;
  int open_unnamed(const std::string& folder);
  Result<> name_it();

  std::string path_;       // as it was given, for messages
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // "" when the file has no name yet, or is written directly
  bool direct_ = false;
  int descriptor_ = -1;
};

}  // namespace frx
