// The least work that could be called reading PTX, on one thread: finds lines, opcodes and their kind, counts
// them per kernel, declared registers and branches. It understands no operand, checks and analyses nothing;
// frx is measured as a multiple of it.
//
//   limit_ptx FILE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Kernel {
  std::string name;
  std::uint64_t instructions = 0, registers = 0, branches = 0;
  std::array<std::uint64_t, 256> kinds{};
};

class Reader {
 public:
  void line(const char* at, const char* end) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    if (at == end || *at == '/') return;
    if (*at == '.') return directive(std::string_view(at, static_cast<std::size_t>(end - at)));
    if (kernels_.empty() || end[-1] == ':' || *at == '{' || *at == '}') return;
    if (*at == '@') {
      while (at < end && *at != ' ' && *at != '\t') ++at;
      while (at < end && (*at == ' ' || *at == '\t')) ++at;
    }
    instruction(at, end);
  }

  std::uint64_t instructions() const {
    std::uint64_t all = 0;
    for (const Kernel& kernel : kernels_) all += kernel.instructions;
    return all;
  }
  std::size_t kernels() const { return kernels_.size(); }

 private:
  void directive(std::string_view text) {
    constexpr std::string_view entry = ".entry ", registers = ".reg ";
    if (const std::size_t at = text.find(entry); at != text.npos) {
      kernels_.emplace_back().name = text.substr(at + entry.size(), text.find('(', at) - at - entry.size());
    } else if (text.starts_with(registers) && !kernels_.empty()) {
      const std::size_t count = text.find('<');
      if (count != text.npos) kernels_.back().registers += static_cast<std::uint64_t>(std::atoi(text.data() + count + 1));
    }
  }

  // The first letters of the opcode and the last of its type tell the kind well enough to count.
  void instruction(const char* at, const char* end) {
    const char* opcode = at;
    while (at < end && *at > ' ' && *at != ';') ++at;
    Kernel& kernel = kernels_.back();
    ++kernel.instructions;
    if (at - opcode >= 3 && std::memcmp(opcode, "bra", 3) == 0) ++kernel.branches;
    const auto first = static_cast<unsigned char>(opcode[0]), last = static_cast<unsigned char>(at[-1]);
    ++kernel.kinds[static_cast<unsigned char>(first * 31 + last)];
  }

  std::vector<Kernel> kernels_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int file = ::open(arguments[1], O_RDONLY);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) return 1;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = ::read(file, text.data() + at, text.size() - at);
    if (got <= 0) return 1;
    at += static_cast<std::size_t>(got);
  }
  Reader reader;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const auto* next = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (next == nullptr) next = end;
    reader.line(at, next);
    at = next + 1;
  }
  std::printf("%zu kernels, %llu instructions\n", reader.kernels(), static_cast<unsigned long long>(reader.instructions()));
  return 0;
}
