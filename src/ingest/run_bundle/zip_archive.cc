#include "ingest/run_bundle/zip_archive.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "ingest/run_bundle/zip_fields.h"
#include "ingest/run_bundle/zip_member_source.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t end_size = 22, comment_limit = 65535, end64_size = 56, locator_size = 20, entry_size = 46;
constexpr std::uint64_t deflate_limit = 1032;  // no deflate stream expands to a larger multiple of its size

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  std::uint64_t shift = 0;  // of all offsets: there are bytes before the archive
};

Failure no_zip() {
  return fail(ErrorKind::malformed, "expected a zip archive, found no end record").hint("is it complete, and is it a zip at all?");
}

Failure damaged(std::string_view what) { return fail(ErrorKind::malformed, "the zip archive is damaged: {}", what); }

Result<std::string> piece(const RandomAccess& bytes, std::uint64_t offset, std::uint64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  TRY(bytes.read_at(offset, text));
  return text;
}

// The zip64 record, when the numbers do not fit the short one.
Result<bool> read_zip64(const RandomAccess& bytes, std::uint64_t end_at, Directory& directory) {
  if (end_at < locator_size) return false;
  TRY_ASSIGN(const std::string locator, piece(bytes, end_at - locator_size, locator_size));
  if (field32(locator, 0) != 0x07064b50) return false;
  TRY_ASSIGN(const std::string record, piece(bytes, field64(locator, 8), end64_size));
  if (field32(record, 0) != 0x06064b50) return damaged("no zip64 record where one should be");
  directory.members = field64(record, 32);
  directory.bytes = field64(record, 40);
  directory.offset = field64(record, 48);
  if (directory.bytes > bytes.size() || directory.offset > bytes.size() - directory.bytes) return damaged("its directory does not fit");
  return true;
}

Result<Directory> find_directory(const RandomAccess& bytes) {
  if (bytes.size() < end_size) return no_zip();
  const std::uint64_t tail_size = std::min(bytes.size(), end_size + comment_limit);
  TRY_ASSIGN(const std::string tail, piece(bytes, bytes.size() - tail_size, tail_size));
  const std::size_t at = tail.rfind(std::string_view("PK\x05\x06", 4), tail.size() - end_size);
  if (at == tail.npos) return no_zip();
  const std::string_view end = std::string_view(tail).substr(at);
  const std::uint64_t end_at = bytes.size() - tail_size + at;
  if (field16(end, 4) != field16(end, 6)) return damaged("it is one of several parts");
  Directory directory{.members = field16(end, 10), .bytes = field32(end, 12), .offset = field32(end, 16)};
  TRY_ASSIGN(const bool is_long, read_zip64(bytes, end_at, directory));
  if (is_long) return directory;
  if (directory.bytes + directory.offset > end_at) return damaged("its directory does not fit");
  directory.shift = end_at - directory.bytes - directory.offset;
  directory.offset += directory.shift;
  return directory;
}

// Numbers that did not fit are stored in the extra field 1, in this order, those only.
Result<> read_long_numbers(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::size_t size = field16(extra, 2);
    if (size > extra.size() - 4) break;
    std::string_view content = extra.substr(4, size);
    if (field16(extra, 0) == 1) {
      for (std::uint64_t* number : {&member.bytes, &member.packed, &member.header}) {
        if (*number != 0xffffffff) continue;
        if (content.size() < 8) return damaged("a zip64 number is missing");
        *number = field64(content, 0);
        content.remove_prefix(8);
      }
      return {};
    }
    extra.remove_prefix(4 + size);
  }
  return {};
}

// Unix stores the file type in the upper half of the attributes.
bool is_link(std::string_view entry) {
  const bool unix = field16(entry, 4) >> 8 == 3;
  return unix && (field32(entry, 38) >> 16 & 0170000) == 0120000;
}

Result<> check(const ZipMember& member, const ZipLimits& limits) {
  if (member.bytes > limits.member_bytes) {
    return fail(ErrorKind::malformed, "{} would unpack to {} bytes; at most {} are read", printable(member.path), member.bytes,
                limits.member_bytes);
  }
  const bool possible =
      member.method == 8 ? member.bytes / deflate_limit <= member.packed : member.method != 0 || member.bytes == member.packed;
  if (!possible) return damaged(fmt::format("{} cannot have the size it claims", printable(member.path)));
  if (member.bytes > limits.ratio_from && member.bytes / limits.ratio > member.packed) {
    return fail(ErrorKind::malformed, "{} would unpack to more than {} times its size", printable(member.path), limits.ratio)
        .hint("unpack it yourself if you trust it, and give the folder");
  }
  return {};
}

// One entry at the front of `rest`, removed from it; nullopt for an entry that is not a file.
Result<std::optional<ZipMember>> take_entry(std::string_view& rest, const Directory& directory, const ZipLimits& limits) {
  if (rest.size() < entry_size || field32(rest, 0) != 0x02014b50) return damaged("its directory is cut off");
  const std::string_view entry = rest;
  const std::size_t name_size = field16(entry, 28), extra_size = field16(entry, 30), comment_size = field16(entry, 32);
  if (entry_size + name_size + extra_size + comment_size > rest.size()) return damaged("its directory is cut off");
  rest.remove_prefix(entry_size + name_size + extra_size + comment_size);
  ZipMember member{.path = {},
                   .bytes = field32(entry, 24),
                   .packed = field32(entry, 20),
                   .header = field32(entry, 42),
                   .crc = field32(entry, 16),
                   .method = field16(entry, 10),
                   .encrypted = (field16(entry, 8) & 1) != 0};
  TRY(read_long_numbers(entry.substr(entry_size + name_size, extra_size), member));
  const std::string_view name = entry.substr(entry_size, name_size);
  TRY_ASSIGN(member.path, safe_member_path(name));
  if (name.ends_with('/') || name.ends_with('\\') || is_link(entry)) return std::optional<ZipMember>();
  if (member.header > UINT64_MAX - directory.shift) return damaged("a member does not fit");
  member.header += directory.shift;
  TRY(check(member, limits));
  return std::optional(std::move(member));
}

// Headers and data do not overlap, and precede the directory.
Result<> check_places(const std::vector<ZipMember>& members, const Directory& directory) {
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), [](const ZipMember* a, const ZipMember* b) { return a->header < b->header; });
  std::uint64_t free_from = 0;
  for (const ZipMember* member : sorted) {
    constexpr std::uint64_t least_header = 30;
    if (member->header < free_from) return damaged(fmt::format("{} overlaps another member", printable(member->path)));
    if (member->packed > directory.offset || member->header + least_header > directory.offset - member->packed) {
      return damaged(fmt::format("{} does not fit", printable(member->path)));
    }
    free_from = member->header + least_header + member->packed;
  }
  return {};
}

}  // namespace

Result<std::string> safe_member_path(std::string_view name) {
  std::string path(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  const auto refused = [&](std::string_view why) {
    return fail(ErrorKind::malformed, "the archive has a member whose name {}: '{}'", why, shorten(printable(name), 60));
  };
  if (path.empty()) return refused("is empty");
  if (path[0] == '/' || (path.size() > 1 && path[1] == ':')) return refused("is absolute");
  if (path.find('\0') != path.npos) return refused("holds a zero byte");
  std::string clean;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return refused("leads out of it");
    if (part.empty() || part == ".") continue;
    clean += clean.empty() ? "" : "/";
    clean += part;
  }
  return clean;
}

Result<ZipArchive> ZipArchive::open(std::shared_ptr<const RandomAccess> bytes, const ZipLimits& limits) {
  TRY_ASSIGN(const Directory directory, find_directory(*bytes));
  if (directory.members > limits.members || directory.bytes > limits.directory_bytes) {
    return fail(ErrorKind::malformed, "expected at most {} members, found {}", limits.members, directory.members);
  }
  TRY_ASSIGN(const std::string table, piece(*bytes, directory.offset, directory.bytes));
  ZipArchive archive;
  std::string_view rest = table;
  std::unordered_set<std::string> seen;
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    TRY_ASSIGN(std::optional<ZipMember> member, take_entry(rest, directory, limits));
    if (!member) continue;
    if (!seen.insert(member->path).second) return damaged(fmt::format("{} occurs twice", printable(member->path)));
    total += member->bytes;
    if (total > limits.total_bytes)
      return fail(ErrorKind::malformed, "the archive would unpack to more than {} GiB", limits.total_bytes >> 30);
    archive.members_.push_back(std::move(*member));
  }
  TRY(check_places(archive.members_, directory));
  archive.bytes_ = std::move(bytes);
  return archive;
}

Result<std::unique_ptr<ByteSource>> ZipArchive::open_member(const ZipMember& member) const {
  if (member.encrypted)
    return fail(ErrorKind::malformed, "it is encrypted").at(printable(member.path)).hint("unpack it, and give the folder");
  if (member.method != 0 && member.method != 8) {
    return fail(ErrorKind::malformed, "expected a stored or deflated member, found method {}", member.method).at(printable(member.path));
  }
  TRY_ASSIGN(const std::string header, piece(*bytes_, member.header, 30));
  if (field32(header, 0) != 0x04034b50) return damaged("no member where its directory says").at(printable(member.path));
  const std::uint64_t data = member.header + 30 + field16(header, 26) + field16(header, 28);
  if (data > bytes_->size() || member.packed > bytes_->size() - data) return damaged("a member does not fit").at(printable(member.path));
  return std::unique_ptr<ByteSource>(std::make_unique<ZipMemberSource>(bytes_, member, data));
}

}  // namespace frx::ingest
