// A file that is written piece by piece and appears whole or not at all.
//
// The pieces go to a file without a name in the folder of the target where the file system can do that, so that
// even a killed program leaves nothing behind; elsewhere to a temporary name, which only SIGKILL leaves behind. What is no regular file (a
// pipe, /dev/null) is written directly.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/leftovers.h"
#include "base/result.h"

namespace frx {

enum class Access { by_umask, owner_only };

class OutputFile {
 public:
  // Creates missing parent folders. A symbolic link stays one: what it points at is replaced. A file that is replaced hands on who may
  // read and write it, unless that is to be the owner alone.
  static Result<OutputFile> create(const std::string& path, Access access = Access::by_umask);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Without a commit() before it, the target is as it was.
  ~OutputFile();

  Result<> write(std::string_view bytes);
  // Gives the file its name. Nothing may be written afterwards.
  Result<> commit();

 private:
  OutputFile() = default;
  int open_new(const std::string& folder);
  Result<> name_it();

  std::string path_;       // as it was given, for messages
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // "" when the file has no name yet, or is written directly
  Leftover noted_;         // the temporary name, while there is one
  bool direct_ = false;
  mode_t mode_ = 0666;       // less the umask
  bool keeps_mode_ = false;  // exactly
  int descriptor_ = -1;
};

}  // namespace frx
