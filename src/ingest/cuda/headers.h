// The files that source includes, as far as they lie in the folders that were given, and the macros that they define.
//
//   #include "tile.h"         beside the file, in a folder of -I, in a folder that was given,
//   #include <lib/tile.h>     or the only file below those whose path ends like this
//
// Each file is read once, however many files include it. Nothing outside of these folders is opened.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/name_filter.h"
#include "ingest/cuda/macro_table.h"

namespace frx::ingest::cuda {

struct HeaderFolders {
  std::vector<std::string> given;    // folders that are analysed, or those of files that are
  std::vector<std::string> include;  // of -I, in order
};

class Headers {
 public:
  // Follows what `files` include. A file that cannot be read, or is one too many, is passed over.
  Headers(const HeaderFolders& folders, std::span<const std::string> files);

  struct Node {
    std::string path;
    std::vector<std::uint32_t> includes, included_by;
    // Of a file that is included:
    MacroTable macros;
    bool has_device_code = false, has_declarations = false;  // perhaps: functions for the GPU; types or constants
    std::uint64_t bytes = 0;

    void take(std::string_view text);
  };
  const std::deque<Node>& nodes() const { return nodes_; }
  // Numbers of the files that may stand before the end of a file: what it includes, and what a file that includes it does.
  std::vector<bool> around(const std::string& path) const;
  // Numbers of the other files that these include, at once or by way of others; the nearest ones first.
  std::vector<std::uint32_t> included_by(std::span<const std::string> files) const;
  // Paths of those of them that device code may use: first those with functions for the GPU, then those with types or constants. Each of
  // the two kinds has 256 KiB in all, the nearest files first: of a large template library little is called.
  std::vector<std::string> used_by_device_code(std::span<const std::string> files) const;
  // Of a file that was given, or that one includes.
  std::optional<std::uint32_t> number(const std::string& path) const;
  // Numbers of the files that define a macro.
  std::span<const std::uint32_t> defining(std::string_view name) const;
  const NameFilter<>& macro_names() const { return macro_names_; }

 private:
  class Tree;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::uint32_t number_of(const std::string& path);
  void follow(Tree& tree);
  // Adds what these include to them, where it was not seen.
  void add_included(std::vector<std::uint32_t>& files, std::vector<bool>& seen) const;

  std::deque<Node> nodes_;
  std::unordered_map<std::string, std::uint32_t> by_path_;
  std::unordered_map<std::string, std::vector<std::uint32_t>, Hash, std::equal_to<>> by_macro_;
  NameFilter<> macro_names_;
};

// The macros that headers define for one file.
class HeaderMacros {
 public:
  HeaderMacros(const Headers& headers, const std::string& path) : headers_(headers), is_around_(headers.around(path)) {}

  // Null where no header around the file defines it, or two do differently. A constant is expanded too: the file does not define it.
  const MacroDefinition* find(std::string_view name);

 private:
  const MacroDefinition* definition_of(std::string_view name, std::span<const std::uint32_t> files) const;

  const Headers& headers_;
  std::vector<bool> is_around_;
  std::unordered_map<std::string, const MacroDefinition*> found_;  // names that headers define
  std::deque<MacroDefinition> expanded_;
};

}  // namespace frx::ingest::cuda
