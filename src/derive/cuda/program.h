// Some CUDA files as one program: where each function, constant, type and macro is defined.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/interner.h"
#include "base/name_filter.h"
#include "derive/cuda/sources.h"
#include "derive/cuda/types.h"
#include "model/cuda_source.h"

namespace frx::derive::cuda {

using model::cuda::NodeKind;
using model::cuda::none;
using model::cuda::Role;
using model::cuda::Source;

// A node in one of the files.
struct NodeRef {
  std::uint32_t source = 0, node = none;
  bool operator==(const NodeRef&) const = default;
};

struct Function {
  NodeRef at;               // function_definition
  std::string_view name;    // without namespaces; "operator()" of an operator
  std::string_view record;  // the class of a member function, wherever it is defined; else ""
  std::uint32_t name_node = none;
  std::uint32_t declarator = none;  // function_declarator
  std::uint32_t body = none;
  std::vector<std::uint32_t> parameters;
  std::uint32_t next = none;  // of the same name, that device code can call
  bool is_kernel = false, is_device = false;
  bool may_only_wait = false;  // a short one of the host that names a wait for the GPU
  bool is_outside = false;     // of its class: `record` is what stands before `::` in its name
};

// A variable at namespace scope: a constant, or device memory; or a constant of a class: static constexpr int rows = 8;
struct Global {
  NodeRef declaration, declarator;
  std::uint32_t value = none;  // the node of what it begins with
  bool is_constant_memory = false, is_device = false, is_shared = false;
  bool is_ambiguous = false;   // one of several of its file
  bool is_in_several = false;  // files

  // Is it what that file means by its name?
  bool is_certain_in(std::uint32_t source) const { return !is_ambiguous && (!is_in_several || declaration.source == source); }
};

// The value of an enumerator: that of `base`, 0 where there is none, and `behind` more.
struct EnumeratorValue {
  NodeRef base;
  std::int64_t behind = 0;
};

struct Field {
  std::uint32_t offset = 0, bytes = 0;  // of an array: of one element
  bool is_array = false;
};

// What a member is declared as, also where its place is unknown.
struct MemberType {
  std::string_view name;     // of the type, without `*` and `[]`
  std::uint32_t levels = 0;  // of pointers and arrays
  bool is_array = false;
  std::uint32_t elements = 1;  // of an array; 0: unknown
  std::uint32_t pointers = 0;  // of an array: levels of those that its elements are
  // Of an array of arrays: how many elements lie between two of the first extent, of the second and of the third; 0: it has no further
  // extent, or that is unknown.
  std::array<std::uint32_t, 3> rows = {};
};

// What a name of a pointer stands for: typedef float* Row;
struct PointerType {
  std::string_view type;     // what is pointed to
  std::uint32_t levels = 0;  // 0: the name is that of `type`, and no pointer
};

struct Struct {
  std::uint32_t bytes = 0;  // 0: unknown
  std::uint32_t alignment = 1;
  bool holds_shared = false;   // a method of it declares an array in shared memory
  bool holds_array = false;    // a member is one
  bool is_aggregate = false;   // without constructors, and of one layout wherever its name stands
  bool is_of_library = false;  // which no file of the program declares
  std::unordered_map<std::string_view, Field> fields;
  std::unordered_map<std::string_view, MemberType> types;

  const MemberType* member(std::string_view name) const {
    const auto at = types.find(name);
    return at == types.end() ? nullptr : &at->second;
  }
};

// Functions, variables at namespace scope, enumerators and macros of one name.
struct Defined {
  std::uint32_t file = none;                                  // of the first one; none when there is no function
  std::uint32_t first_function = none, last_function = none;  // that device code can call
  bool is_kernel = false, is_in_several = false;              // files
};

struct Record;  // derive/cuda/declarations.h
struct RecordMember;
struct NamedGlobal;  // the same

class Program {
 public:
  // `sources` must outlive the program. All of them are packed afterwards.
  explicit Program(const Sources& sources);

  const Sources& sources() const { return sources_; }
  const std::vector<Function>& functions() const { return functions_; }  // by file and place
  // The functions of one file.
  std::span<const Function> functions_in(std::uint32_t source) const;
  // The first function of that name that device code can call; the others follow through `next`.
  std::uint32_t first_device_function(std::string_view name) const {
    const std::uint32_t number = defined(name);
    return number == none ? none : defined_[number].first_function;
  }

  // The number of a name that is defined somewhere, else none.
  std::uint32_t defined(std::string_view name) const;
  const Defined& definitions(std::uint32_t number) const { return defined_[number]; }
  std::span<const std::uint32_t> files_defining(std::uint32_t number) const;
  std::uint64_t node_count() const { return nodes_; }               // of all files
  std::uint32_t analysed_files() const { return analysed_files_; }  // without headers that others only use
  std::uint32_t name_count() const { return static_cast<std::uint32_t>(defined_.size()); }
  bool is_kernel(std::string_view name) const {
    const std::uint32_t number = defined(name);
    return number != none && defined_[number].is_kernel;
  }
  // Is there a function of that name which may do nothing but wait for the GPU and look at errors: check("step")?
  bool may_only_wait(std::string_view name) const { return may_only_wait_.contains(name); }
  bool has_functions_that_wait() const { return !may_only_wait_.empty(); }
  // A variable that the file declares itself, else the first one of all files.
  const Global* global(std::string_view name, std::uint32_t source) const;
  // The same for the constant `name` of a class, named without its namespaces and template arguments.
  const Global* constant_of_class(std::string_view record, std::string_view name, std::uint32_t source) const;
  std::optional<EnumeratorValue> enumerator(std::string_view name) const;
  const model::cuda::Macro* macro(std::string_view name, std::uint32_t& source) const;
  const Struct* struct_named(std::string_view name) const;
  // Of a class whose size no file tells: how many of its members device code names, where it reaches them through a pointer; 0 for one with
  // a size, and for parts of a vector: x, y, z.
  std::size_t named_members(std::string_view type) const;
  // The type that a typedef or a using declaration gives that name to; empty when there is none.
  std::string_view alias(std::string_view name) const {
    const auto at = known_.may_have(name) ? aliases_.find(name) : aliases_.end();
    return at == aliases_.end() ? std::string_view() : at->second;
  }
  // Of a name without qualifiers.
  PointerType pointer(std::string_view name) const {
    const auto at = known_.may_have(name) ? pointers_.find(name) : pointers_.end();
    return at == pointers_.end() ? PointerType{name} : at->second;
  }
  // Follows aliases and macros; zero bytes when the type is unknown.
  TypeInfo type(std::string_view name) const;

 private:
  struct Declarations;
  // Records of which the first one of a name counts are moved to `records`.
  void add(std::uint32_t source, Declarations&& declarations, std::vector<Record>& records);
  void add_function(Function&& function);
  void add_known_records();
  // What these records are, one of which may be a member of another one, before or behind it.
  void lay_out(std::span<const Record> records);
  Struct layout_of(const Record& record) const;
  std::array<std::uint32_t, 3> rows_of(const RecordMember& member) const;
  void lay_out_members(std::span<const RecordMember> members, bool is_union, bool known, Struct& into) const;
  Record kept(const Record& record);
  void keep_members(std::span<RecordMember> members);
  // Of a macro or a constant; 0: unknown.
  std::uint32_t number_named(std::string_view name) const;
  std::string_view define(std::string_view name, std::uint32_t source);
  void add_global(const NamedGlobal& named, std::uint32_t source);
  // Files may be released; names are needed longer.
  std::string_view keep(std::string_view name) {
    known_.add(name);
    return names_[names_.add(name)];
  }

  const Sources& sources_;
  std::uint64_t nodes_ = 0;
  std::uint32_t analysed_files_ = 0;
  std::vector<Function> functions_;
  std::vector<std::uint32_t> first_functions_;  // by file
  std::unordered_set<std::string_view> may_only_wait_;
  Interner names_;
  NameFilter<65536> known_;       // all of names_: most names in code are those of local variables
  std::vector<Defined> defined_;  // by number of the name, for some of them
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> several_files_;  // by number of a name that is in several
  std::unordered_map<std::string_view, Global> globals_;                         // the first one of a name
  std::unordered_map<std::string_view, std::vector<Global>> later_globals_;  // further ones, by file; is_ambiguous: one of several of it
  std::unordered_map<std::string_view, EnumeratorValue> enumerators_;
  std::unordered_map<std::string_view, std::pair<std::uint32_t, std::uint32_t>> macros_;
  std::unordered_map<std::string_view, std::string_view> aliases_;
  std::unordered_map<std::string_view, PointerType> pointers_;
  std::unordered_map<std::string_view, Struct> structs_;
  std::unordered_map<std::string_view, std::size_t> shapes_;                                  // of records, until all are laid out
  std::unordered_set<std::string_view> several_shapes_;                                       // names of records that differ
  std::unordered_map<std::string_view, std::uint32_t> numbers_;                               // 0 for a name that has several
  std::unordered_map<std::string_view, std::unordered_set<std::string_view>> named_members_;  // by type
};

// The last name in `a::b::name<T>`, `object.name`, `*name`, `name[3]`: the identifier's node, or none.
std::uint32_t name_in(const Source& source, std::uint32_t node);

// The name of the function that is called, of a method without its object; "" where it is none.
std::string_view callee_name(const Source& source, std::uint32_t call);

// How many arguments a call gives; 0 where it has no list of them.
std::size_t count_of_arguments(const model::cuda::Syntax& syntax, std::uint32_t call);

// The class, or the innermost namespace, in a::b<T>::name: b; empty when there is none.
std::string_view innermost_scope(const Source& source, std::uint32_t qualified);

// The class of a member function, wherever that is defined; empty for other functions. Of a::f() it is a, which may be a namespace.
std::string_view class_of_function(const Source& source, const Function& function);

// Does a declaration or definition have that specifier before its name: "__shared__", "extern", "const"?
bool has_word(const Source& source, std::uint32_t declaration, std::string_view word);

// Is it declared const or constexpr?
bool is_declared_constant(const Source& source, std::uint32_t declaration);

// Is the body of a function a single expression, such as `{ __syncthreads(); }` or `{ return p[i]; }`?
bool is_one_statement(const Source& source, std::uint32_t body);

// T& f(...) { return ...; }: an element or a view of it, as a rule.
bool hands_back_reference(const Source& source, const Function& function);

// How many `*` and `[]` a declarator adds.
std::uint32_t indirections(const Source& source, std::uint32_t declarator);

}  // namespace frx::derive::cuda
