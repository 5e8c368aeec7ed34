#include "ingest/fatbin/archive.h"

#include <optional>

#include "base/text.h"

namespace frx::ingest::fatbin {
namespace {

constexpr std::string_view archive_magic = "!<arch>\n", thin_magic = "!<thin>\n", header_end = "`\n";
constexpr std::size_t header_bytes = 60, name_bytes = 16, size_at = 48, size_bytes = 10;
constexpr std::size_t longest_name = 4096;  // a path; many members may refer to the same one

Failure damaged_archive(std::size_t at, std::string_view what) {
  return fail(ErrorKind::malformed, "the archive is damaged at byte {}: {}", at, what);
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
  std::uint64_t number = 0;
  if (digits.empty()) return std::nullopt;
  for (const char c : digits) {
    if (c < '0' || c > '9' || number > (std::uint64_t{1} << 50)) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

bool is_index(std::string_view name) { return name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF"); }

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file), at_(archive_magic.size()) {}

  Result<std::vector<ArchiveMember>> read() {
    while (at_ < file_.size()) TRY(member());
    return std::move(members_);
  }

 private:
  Result<> member() {
    const std::size_t begin = at_;
    if (file_.size() - begin < header_bytes) return damaged_archive(begin, "the header of a member is cut");
    const std::string_view header = file_.substr(begin, header_bytes);
    const std::optional<std::uint64_t> size = decimal(trim(header.substr(size_at, size_bytes)));
    if (!header.ends_with(header_end) || !size) return damaged_archive(begin, "no header of a member");
    if (*size > file_.size() - begin - header_bytes) return damaged_archive(begin, "the member is cut");
    const std::string_view bytes = file_.substr(begin + header_bytes, *size);
    at_ = begin + header_bytes + *size + *size % 2;
    const std::string_view name = trim(header.substr(0, name_bytes));
    if (name == "//") {
      long_names_ = bytes;
      return {};
    }
    return add(begin, name, {name, bytes, begin + header_bytes});
  }

  Result<> add(std::size_t begin, std::string_view name, ArchiveMember member) {
    if (const auto length = name.starts_with("#1/") ? decimal(name.substr(3)) : std::nullopt) {
      if (*length > member.bytes.size()) return damaged_archive(begin, "the name of the member is cut");
      member.name = member.bytes.substr(0, *length);
      member.name = member.name.substr(0, member.name.find('\0'));
      member.bytes.remove_prefix(*length);
      member.position += *length;
    } else if (const auto at = name.starts_with('/') ? decimal(name.substr(1)) : std::nullopt) {
      if (*at >= long_names_.size()) return damaged_archive(begin, "the name of the member is missing");
      member.name = long_names_.substr(*at, longest_name);
      member.name = member.name.substr(0, member.name.find('\n'));
    }
    if (is_index(member.name)) return {};
    if (member.name.ends_with('/')) member.name.remove_suffix(1);
    members_.push_back(member);
    return {};
  }

  std::string_view file_, long_names_;
  std::size_t at_;
  std::vector<ArchiveMember> members_;
};

}  // namespace

bool begins_archive(std::string_view head) { return head.starts_with(archive_magic) || head.starts_with(thin_magic); }

Result<std::vector<ArchiveMember>> members_of_archive(std::string_view file) {
  if (file.starts_with(thin_magic)) {
    return fail(ErrorKind::malformed, "a thin archive holds only the names of its objects").hint("give the objects themselves");
  }
  if (!file.starts_with(archive_magic)) return fail(ErrorKind::malformed, "expected an archive, found something else");
  return Reader(file).read();
}

}  // namespace frx::ingest::fatbin
