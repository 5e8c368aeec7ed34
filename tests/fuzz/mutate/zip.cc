// Zip archives: members are unpacked, changed, and written anew with checksums and sizes that fit; at times one of those is wrong.
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "fuzz/mutate/bytes.h"
#include "fuzz/mutate/changes.h"
#include "support/deflate.h"

namespace frx::fuzz {
namespace {

struct Member {
  std::string name, content;
  std::uint64_t method = 0;  // 8: deflated
};

std::string unpacked(const std::string& packed, std::size_t size, std::size_t most) {
  std::string text(std::min(size, most), '\0');
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_FINISH);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

// By the directory at the end; those whose places lie outside are left out.
std::vector<Member> members_of(const std::string& zip, std::size_t most) {
  std::vector<Member> members;
  for (std::size_t at = zip.find("PK\x01\x02"); at != std::string::npos && members.size() < 200; at = zip.find("PK\x01\x02", at + 4)) {
    const std::uint64_t size = number_at(zip, at + 20, 4), header = number_at(zip, at + 42, 4);
    Member member{piece(zip, at + 46, number_at(zip, at + 28, 2)), {}, number_at(zip, at + 10, 2)};
    const std::string stored = piece(zip, header + 30 + number_at(zip, header + 26, 2) + number_at(zip, header + 28, 2), size);
    member.content = member.method == 8 ? unpacked(stored, number_at(zip, at + 24, 4), most) : stored;
    members.push_back(std::move(member));
  }
  return members;
}

std::string written(const std::vector<Member>& members) {
  std::string zip, table;
  for (const Member& one : members) {
    const std::string stored = one.method == 8 ? testing::deflated(one.content, testing::as_raw_deflate) : one.content;
    const std::uint64_t crc = crc32(0, reinterpret_cast<const Bytef*>(one.content.data()), static_cast<uInt>(one.content.size()));
    const std::string common = number_bytes(0, 2) + number_bytes(one.method, 2) + number_bytes(0x21, 4) + number_bytes(crc, 4) +
                               number_bytes(stored.size(), 4) + number_bytes(one.content.size(), 4) + number_bytes(one.name.size(), 2) +
                               number_bytes(0, 2);
    table += "PK\x01\x02" + number_bytes(3 << 8 | 20, 2) + number_bytes(20, 2) + common + number_bytes(0, 6) +
             number_bytes(0100644u << 16, 4) + number_bytes(zip.size(), 4) + one.name;
    zip += "PK\x03\x04" + number_bytes(20, 2) + common + one.name + stored;
  }
  return zip + table + "PK\x05\x06" + number_bytes(0, 4) + number_bytes(members.size(), 2) + number_bytes(members.size(), 2) +
         number_bytes(table.size(), 4) + number_bytes(zip.size(), 4) + number_bytes(0, 2);
}

void change_members(std::vector<Member>& members, Changes& changes) {
  const auto at = members.begin() + static_cast<std::ptrdiff_t>(changes.below(members.size()));
  const Member member = *at;
  switch (changes.below(10)) {
    case 0: members.insert(at, changes.times(member.content.size() + 100), member); break;
    case 1: members.erase(at); break;
    case 2: at->name = members[changes.below(members.size())].name; break;
    case 3: changes.change(at->name); break;
    case 4: at->method = changes.one_in(8) ? changes.below(100) : 8 - at->method % 9; break;
    case 5: mutate_table(at->content, changes); break;
    default: mutate_json(at->content, changes);
  }
}

// A number of one of the headers: sizes, checksum, lengths of names, number of members, place.
void change_header(std::string& zip, Changes& changes) {
  static constexpr std::string_view signatures[] = {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06"};
  const std::string_view signature = signatures[changes.below(3)];
  const std::size_t at = zip.find(signature, changes.below(zip.size() / 2));
  if (at != std::string::npos) set_number(zip, at + 4 + changes.below(22) * 2, changes.one_in(2) ? 2 : 4, changes.number());
}

}  // namespace

void mutate_zip(std::string& bytes, Changes& changes) {
  std::vector<Member> members = members_of(bytes, changes.most());
  if (members.empty()) return changes.change(bytes);
  for (std::size_t left = 1 + changes.below(3); left > 0 && !members.empty(); --left) change_members(members, changes);
  bytes = written(members);
  if (changes.one_in(6)) change_header(bytes, changes);
}

}  // namespace frx::fuzz
