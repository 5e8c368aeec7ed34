// A PTX module as it is written: functions, what they declare, and their instructions.
//
// A hundred megabytes of PTX are four million instructions, so everything is kept in flat arrays of the
// module and named by index; what belongs to one function is a range of each array. An instruction takes
// 24 bytes and an operand 8.
//
//   @!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd4+16];
//     predicate  %p1, negated
//     form       "ld.global.v2.f32", stored once for all instructions that are spelled so
//     operands   vector of 2: %f1, %f2; address of 1, offset 16: %rd4
//
// Reference: NVIDIA, "Parallel Thread Execution ISA", https://docs.nvidia.com/cuda/parallel-thread-execution/
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "model/ptx_form.h"

namespace frx::model::ptx {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

// Indices [begin, end) of one of the arrays of Module.
struct Range {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

// All names of a module in one string.
class Names {
 public:
  std::string_view operator[](std::uint32_t id) const {
    return id < entries_.size() ? std::string_view(pool_).substr(entries_[id].begin, entries_[id].size) : "";
  }
  std::size_t size() const { return entries_.size(); }
  void reserve(std::size_t names, std::size_t bytes) {
    entries_.reserve(names);
    pool_.reserve(bytes);
  }
  std::uint32_t add(std::string_view name) {
    entries_.push_back({static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(name.size())});
    pool_ += name;
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }

 private:
  struct Entry {
    std::uint32_t begin, size;
  };
  std::string pool_;  // less than the text of the module, which has less than 4 GB
  std::vector<Entry> entries_;
};

// Registers declared together: `.reg .b32 %r<54>;` has %r0 to %r53, `.reg .b64 %SP;` only itself.
struct RegisterBank {
  std::uint32_t name = none;  // of names; "%r" when numbered
  std::uint32_t first = 0;    // number of its first register in the function
  std::uint32_t count = 1;    // as declared: a file may claim more than it uses, or could hold
  Type type = Type::none;
  std::uint8_t lanes = 1;  // of a vector register: `.reg .v4 .f32`
  bool numbered = false;
};

// A variable or a parameter.
struct Variable {
  std::uint32_t name = none;
  Type type = Type::none;
  Space space = Space::none;
  Linkage linkage = Linkage::none;
  std::uint8_t lanes = 1;   // of `.v2`, `.v4`
  std::uint32_t align = 0;  // bytes; 0: as its type
  std::uint64_t bytes = 0;  // 0 for an array whose size is given at the launch: `extern .shared a[]`
  bool is_array = false;
  bool is_unsized = false;          // `[]` without initialiser
  bool is_pointer = false;          // `.ptr`: what it points to is described by the next two
  Space points_to = Space::none;    // none: generic
  std::uint32_t pointee_align = 0;  // bytes; 0: not stated
};

struct Operand {
  enum Kind : std::uint8_t {
    sink,     // `_`
    reg,      // value: number of the register in its function
    special,  // %tid.x; value: index into Module::specials
    integer,  // value: the bits of an int32_t
    wide,     // an integer or double of 64 bits; value: index into Module::constants
    real,     // `0f3F800000`; value: the bits of the float
    label,    // value: index into Module::labels
    symbol,   // a variable or a function, also one that is declared nowhere; value: name
    // The following kinds include the next `parts` operands, which directly follow:
    address,   // [base+offset], [base, {x, y}]; value: the bits of the offset, an int32_t
    vector,    // {a, b}
    list,      // (a, b) of a call
    pair,      // p|q
    selected,  // %r1.b0, %v.x; value: name of the selector
  };
  enum Flags : std::uint8_t {
    negated = 1,      // !%p
    minus = 2,        // -%r of the video instructions
    is_double = 4,    // the constant of a `wide` is a double
    is_value = 8,     // an address that stands for itself: `mov.u64 %rd1, table+8;`
    is_element = 16,  // an array and the index of an element, in elements: table[4]; value: added to the index
  };

  Kind kind = sink;
  std::uint8_t flags = 0;
  std::uint16_t parts = 0;  // operands behind this one that belong to it, nested ones included
  std::uint32_t value = 0;

  std::int32_t signed_value() const { return static_cast<std::int32_t>(value); }
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Instruction {
  std::uint32_t form = 0;           // index into Module::forms
  std::uint32_t first_operand = 0;  // index into Module::operands
  std::uint32_t predicate = none;   // register in the function that must be true (or false) for it to run
  std::uint32_t line = 0;           // in the PTX, from 1
  std::uint32_t place = none;       // index into Module::places
  std::uint16_t operand_count = 0;  // parts included
  bool predicate_negated = false;
};

struct Label {
  std::uint32_t name = none;
  std::uint32_t instruction = 0;  // the one it stands before, an index into Module::instructions
  std::uint32_t targets = none;   // index into Module::target_lists when it names such a list
};

// `ts: .branchtargets L1, L2;` and `.calltargets`: where an indirect branch or call may go.
struct TargetList {
  Range operands;
};

// `.loc` of the source. `called_from` is where the code was inlined, which may be inlined itself; always
// an earlier place.
struct Place {
  std::uint32_t file = 0;              // the number of `.file`
  std::uint32_t line = 0, column = 0;  // from 1; line 0: no line
  std::uint32_t function = none;       // name of the inlined function
  std::uint32_t called_from = none;
};

// What the code may count on or must keep to; 0: not stated.
struct Limits {
  std::array<std::uint32_t, 3> max_threads{};       // .maxntid
  std::array<std::uint32_t, 3> required_threads{};  // .reqntid
  std::array<std::uint32_t, 3> cluster{};           // .reqnctapercluster
  std::uint32_t min_blocks = 0;                     // per SM: .minnctapersm
  std::uint32_t max_blocks = 0;                     // per SM: .maxnctapersm
  std::uint32_t max_registers = 0;                  // per thread: .maxnreg
  std::uint32_t max_cluster = 0;                    // blocks: .maxclusterrank
  bool explicit_cluster = false, no_return = false;
};

struct Function {
  enum Kind : std::uint8_t { entry, func };

  std::uint32_t name = none;
  Kind kind = entry;
  Linkage linkage = Linkage::none;
  bool has_body = false;
  bool is_complete = true;           // false: statements were skipped, or the file ends inside
  std::uint32_t line = 0;            // in the PTX
  std::uint64_t register_count = 0;  // as declared, over all banks
  Limits limits;
  Range parameters, returns, variables;  // of Module::variables
  Range banks;                           // of Module::banks
  Range instructions, operands, labels, places;
};

// A special register as it is spelled: %tid.x.
struct Special {
  std::uint32_t name = none;
  Variance variance = Variance::unknown;
};

struct Version {
  int major = 0, minor = 0;
};

struct Module {
  SharedText file;                   // for messages
  Version version;                   // 0.0: not stated
  std::vector<std::string> targets;  // "sm_90a", "debug", "texmode_independent"
  int address_size = 0;              // bits; 0: not stated

  Names names;
  std::vector<Form> forms;
  std::vector<Special> specials;
  std::vector<Function> functions;
  std::vector<Variable> variables;     // parameters and variables of functions, and those of the module
  std::vector<std::uint32_t> globals;  // the latter, as indices into variables
  std::vector<RegisterBank> banks;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<std::uint64_t> constants;
  std::vector<Label> labels;
  std::vector<TargetList> target_lists;
  std::vector<Place> places;

  struct File {
    std::uint32_t number = 0;
    SharedText path;  // as the compiler was told; bytes, maybe not UTF-8
  };
  std::vector<File> files;
  struct Alias {
    std::uint32_t name = none, of = none;
  };
  std::vector<Alias> aliases;
  // Regions that hold no code, such as ".debug_info".
  struct Section {
    std::string name;
    std::uint64_t bytes = 0;  // of text in the file
  };
  std::vector<Section> sections;

  // What could not be read: the first few as "file:line: expected X, found Y", and how many in all.
  std::vector<std::string> problems;
  std::size_t skipped_statements = 0;

  template <typename T>
  std::span<const T> in(const std::vector<T>& all, Range range) const {
    return std::span<const T>(all).subspan(range.begin, range.size());
  }
  std::span<const Instruction> code(const Function& function) const { return in(instructions, function.instructions); }
  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return std::span<const Operand>(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  const Form& form_of(const Instruction& instruction) const { return forms[instruction.form]; }
};

}  // namespace frx::model::ptx
