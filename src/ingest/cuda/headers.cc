#include "ingest/cuda/headers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/parallel.h"
#include "ingest/cuda/preprocessor.h"

namespace frx::ingest::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_header = std::uint64_t{8} << 20;
constexpr std::size_t most_files = 20'000, most_listed = 200'000, most_includers = 64;
constexpr std::uint64_t most_of_one_kind = std::uint64_t{256} << 10;
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::size_t end_of_file = static_cast<std::size_t>(-1);

// Functions are marked by the keyword itself, or by a macro such as MY_HOST_DEVICE.
bool may_have_device_code(std::string_view text) { return text.find("__device__") != text.npos || text.find("DEVICE") != text.npos; }

// Constants of the preprocessor are known without the rest of a file.
bool may_have_declarations(std::string_view text) {
  constexpr std::array<std::string_view, 7> words = {"struct", "class", "typedef", "using", "enum", "const ", "constexpr"};
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

std::string normal(const fs::path& path) { return path.lexically_normal().generic_string(); }

struct Include {
  std::string name;
  bool is_quoted = false;
};

// Of each line that begins with #include.
std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> all;
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
    if (before != text.npos && at != 0 && text[before] != '\n') continue;
    std::string_view rest = text.substr(at + 1, 400);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(7);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) continue;
    const std::size_t end = rest.find(rest[0] == '"' ? '"' : '>', 1);
    if (end == rest.npos || end < 2 || rest.substr(0, end).find('\n') != rest.npos) continue;
    all.push_back({std::string(rest.substr(1, end - 1)), rest[0] == '"'});
  }
  return all;
}

}  // namespace

// The folders in which headers may lie.
class Headers::Tree {
 public:
  explicit Tree(const HeaderFolders& folders) {
    for (const std::string& folder : folders.include) include_.push_back(normal(fs::path(folder) / ""));
    for (const std::string& folder : folders.given) given_.push_back(normal(fs::path(folder) / ""));
  }

  std::optional<std::string> find(const Include& include, const std::string& includer) {
    if (include.name.empty() || include.name[0] == '/') return std::nullopt;
    std::vector<fs::path> places;
    if (include.is_quoted) places.push_back(fs::path(includer).parent_path());
    for (const std::string& folder : include_) places.emplace_back(folder);
    for (const std::string& folder : given_) places.emplace_back(folder);
    for (const fs::path& place : places) {
      std::string path = normal(place / include.name);
      if (is_inside(path) && is_file(path)) return path;
    }
    return only_one_ending_with(include.name);
  }

 private:
  bool is_inside(const std::string& path) const {
    const auto holds = [&](const std::string& folder) {
      return folder == "./" || folder == "." ? !path.starts_with("..") && path[0] != '/' : path.starts_with(folder);
    };
    return std::ranges::any_of(given_, holds) || std::ranges::any_of(include_, holds);
  }

  bool is_file(const std::string& path) {
    const auto [at, is_new] = is_file_.try_emplace(path, false);
    std::error_code ignored;
    if (is_new) at->second = fs::is_regular_file(path, ignored);
    return at->second;
  }

  // A build has folders of its own for headers, which are not known here; the path tells where they are all the same when one file fits.
  std::optional<std::string> only_one_ending_with(const std::string& name) {
    if (name.find("..") != name.npos) return std::nullopt;
    if (!is_listed_) list();
    const auto same = by_name_.find(fs::path(name).filename().string());
    if (same == by_name_.end()) return std::nullopt;
    const std::string ending = "/" + name;
    const std::string* found = nullptr;
    for (const std::string& path : same->second) {
      if (!path.ends_with(ending)) continue;
      if (found) return std::nullopt;
      found = &path;
    }
    return found ? std::optional(*found) : std::nullopt;
  }

  // Links to folders are not followed.
  void list() {
    is_listed_ = true;
    std::vector<std::string> folders = given_;
    std::size_t count = 0;
    while (!folders.empty() && count < most_listed) {
      const std::string folder = std::move(folders.back());
      folders.pop_back();
      std::error_code error, ignored;
      for (fs::directory_iterator at(folder, error), end; !error && at != end && count < most_listed; at.increment(error), ++count) {
        if (!at->is_symlink(ignored) && at->is_directory(ignored)) {
          folders.push_back(at->path().string());
        } else {
          by_name_[at->path().filename().string()].push_back(normal(at->path()));
        }
      }
    }
  }

  std::vector<std::string> given_, include_;
  std::unordered_map<std::string, bool> is_file_;
  std::unordered_map<std::string, std::vector<std::string>> by_name_;
  bool is_listed_ = false;
};

void Headers::Node::take(std::string_view text) {
  macros = macros_in(text);
  has_device_code = may_have_device_code(text);
  has_declarations = may_have_declarations(text);
  bytes = text.size();
}

std::uint32_t Headers::number_of(const std::string& path) {
  const auto [at, is_new] = by_path_.try_emplace(path, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({path, {}, {}, {}});
  return at->second;
}

Headers::Headers(const HeaderFolders& folders, std::span<const std::string> files) {
  Tree tree(folders);
  for (const std::string& file : files) number_of(normal(file));
  const std::size_t given = nodes_.size();
  follow(tree);
  std::vector<std::uint32_t> included;
  for (std::uint32_t i = 0; i < given; ++i) {
    if (!nodes_[i].included_by.empty()) included.push_back(i);
  }
  for_each_in_parallel(included.size(), [&](std::size_t i) {
    Node& node = nodes_[included[i]];
    if (const Result<std::string> text = read_file(node.path, largest_header)) node.take(*text);
  });
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].macros.for_each_name([&](const std::string& name) {
      by_macro_[name].push_back(i);
      macro_names_.add(name);
    });
  }
}

// Level by level: the files of one are read on all cores.
void Headers::follow(Tree& tree) {
  const std::size_t given = nodes_.size();
  std::uint64_t bytes = 0;
  for (std::size_t begin = 0; begin < nodes_.size() && begin < most_files && bytes < most_bytes;) {
    const std::size_t end = nodes_.size();
    std::vector<std::vector<Include>> found(end - begin);
    std::vector<std::uint64_t> sizes(end - begin);
    for_each_in_parallel(end - begin, [&](std::size_t i) {
      Node& node = nodes_[begin + i];
      const Result<std::string> text = read_file(node.path, largest_header);
      if (!text) return;
      sizes[i] = text->size();
      found[i] = includes_of(*text);
      if (begin + i >= given) node.take(*text);
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
      bytes += sizes[i];
      for (const Include& include : found[i]) {
        const std::optional<std::string> path = tree.find(include, nodes_[begin + i].path);
        if (!path) continue;
        const std::uint32_t number = number_of(*path);
        nodes_[begin + i].includes.push_back(number);
        nodes_[number].included_by.push_back(static_cast<std::uint32_t>(begin + i));
      }
    }
    begin = end;
  }
}

std::optional<std::uint32_t> Headers::number(const std::string& path) const {
  const auto at = by_path_.find(normal(path));
  return at == by_path_.end() ? std::nullopt : std::optional(at->second);
}

void Headers::add_included(std::vector<std::uint32_t>& files, std::vector<bool>& seen) const {
  for (std::size_t at = 0; at < files.size(); ++at) {
    for (const std::uint32_t next : nodes_[files[at]].includes) {
      if (seen[next]) continue;
      seen[next] = true;
      files.push_back(next);
    }
  }
}

std::vector<bool> Headers::around(const std::string& path) const {
  std::vector<bool> seen(nodes_.size());
  const std::optional<std::uint32_t> file = number(path);
  if (!file) return seen;
  const std::vector<std::uint32_t>& includers = nodes_[*file].included_by;
  std::vector<std::uint32_t> files(includers.begin(),
                                   includers.begin() + static_cast<std::ptrdiff_t>(std::min(includers.size(), most_includers)));
  files.push_back(*file);
  for (const std::uint32_t one : files) seen[one] = true;
  add_included(files, seen);
  seen[*file] = false;  // its own macros are known by their places
  return seen;
}

std::vector<std::uint32_t> Headers::included_by(std::span<const std::string> files) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<std::uint32_t> numbers;
  for (const std::string& file : files) {
    const std::optional<std::uint32_t> one = number(file);
    if (!one || seen[*one]) continue;
    seen[*one] = true;
    numbers.push_back(*one);
  }
  const auto given = static_cast<std::ptrdiff_t>(numbers.size());
  add_included(numbers, seen);
  numbers.erase(numbers.begin(), numbers.begin() + given);
  return numbers;
}

std::vector<std::string> Headers::used_by_device_code(std::span<const std::string> files) const {
  const std::vector<std::uint32_t> included = included_by(files);
  std::vector<std::string> paths;
  const auto add = [&](auto is_wanted) {
    std::uint64_t bytes = 0;
    for (const std::uint32_t i : included) {
      if (!is_wanted(nodes_[i])) continue;
      bytes += nodes_[i].bytes;
      if (bytes > most_of_one_kind) break;
      paths.push_back(nodes_[i].path);
    }
  };
  add([](const Node& node) { return node.has_device_code; });
  add([](const Node& node) { return node.has_declarations && !node.has_device_code; });
  return paths;
}

std::span<const std::uint32_t> Headers::defining(std::string_view name) const {
  if (!macro_names_.may_have(name)) return {};
  const auto at = by_macro_.find(name);
  return at == by_macro_.end() ? std::span<const std::uint32_t>() : std::span(at->second);
}

const MacroDefinition* HeaderMacros::definition_of(std::string_view name, std::span<const std::uint32_t> files) const {
  const MacroDefinition* found = nullptr;
  for (const std::uint32_t file : files) {
    if (!is_around_[file]) continue;
    const MacroDefinition* one = headers_.nodes()[file].macros.at(name, end_of_file);
    if (!one || (found && !means_the_same(found->macro, one->macro))) return nullptr;
    found = one;
  }
  return found;
}

const MacroDefinition* HeaderMacros::find(std::string_view name) {
  const std::span<const std::uint32_t> files = headers_.defining(name);
  if (files.empty()) return nullptr;
  const auto [at, is_new] = found_.try_emplace(std::string(name), nullptr);
  if (!is_new) return at->second;
  const MacroDefinition* found = definition_of(name, files);
  if (found && found->use != MacroUse::expand && is_replaceable(found->macro)) {
    expanded_.push_back({found->macro, MacroUse::expand});
    found = &expanded_.back();
  }
  return at->second = found;
}

}  // namespace frx::ingest::cuda
