// For tests: zip archives in memory, valid and invalid ones. Members are stored, not deflated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/run_bundle/random_access.h"

namespace frx::ingest::testing {

struct TestMember {
  std::string name;
  std::string content;
  std::uint32_t crc = 0;  // 0: not checked by tests that do not read
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t attributes = 0100644u << 16;
  std::int64_t claimed_bytes = -1;  // a wrong size
  std::int64_t claimed_packed = -1;
  std::int64_t claimed_header = -1;
};

inline std::string little(std::uint64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

inline std::string zip_of(const std::vector<TestMember>& members) {
  std::string zip, table;
  for (const TestMember& one : members) {
    const auto or_else = [](std::int64_t claimed, std::uint64_t real) { return claimed < 0 ? real : static_cast<std::uint64_t>(claimed); };
    const std::string common = little(one.flags, 2) + little(one.method, 2) + little(0x21, 4) + little(one.crc, 4) +
                               little(or_else(one.claimed_packed, one.content.size()), 4) +
                               little(or_else(one.claimed_bytes, one.content.size()), 4) + little(one.name.size(), 2) + little(0, 2);
    table += "PK\x01\x02" + little(3 << 8 | 20, 2) + little(20, 2) + common + little(0, 6) + little(one.attributes, 4) +
             little(or_else(one.claimed_header, zip.size()), 4) + one.name;
    zip += "PK\x03\x04" + little(20, 2) + common + one.name + one.content;
  }
  return zip + table + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) + little(table.size(), 4) +
         little(zip.size(), 4) + little(0, 2);
}

}  // namespace frx::ingest::testing
