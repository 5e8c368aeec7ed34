// Follows code from statement to statement and records what it does in a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derive/cuda/trace.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {

struct Value {
  enum Kind : std::uint8_t { number, pointer, triple, group };

  Kind kind = number;
  ExprId expr = 1;      // a number; bytes from the beginning of `memory`; x of a triple; the kind of a group
  ExprId y = 1, z = 1;  // of a triple; y: how many threads a tile of a warp has
  std::uint32_t memory = none;
  std::uint32_t bytes = 0;       // of what a pointer points to
  std::uint32_t levels = 1;      // 2 for float**
  std::uint32_t subscripts = 0;  // how many dims of its memory have been applied
  std::string_view type = {};    // of what a pointer points to; of a parameter and its members
  // The loads that a number is, or is the product of; a sum keeps the product it contains.
  std::uint32_t access = none, factor = none;
  std::uint32_t config = none;  // the launch configuration that an object carries
  std::uint32_t lambda = none;  // the node of the lambda that a variable holds
  std::uint32_t object = none;  // the memory of the object of the thread's own that it is
  // Of an array of arrays within a structure: elements between two of its parts, between two of theirs, and so on; 0: these are elements.
  std::array<std::uint32_t, 3> rows = {};
  bool is_sum = false;
  bool is_member_array = false;  // the address of an array within a structure, of which an index follows
  bool is_guess = false;         // `bytes` of a pointer is that of a float, because the type is not known,
  bool is_recast = false;        // and the pointer was one to something else before
  bool is_vague = false;         // a pointer to somewhere in an object of unknown layout; an object whose members change
  bool is_place = false;         // a reference: the variable is what lies where it points
  // Of a constant number of blocks, or of a triple of them: the axes, as bits, along which they are more than the data fill.
  std::uint8_t rounded_up = 0;
};

enum Group : std::int64_t { block_group = 1, grid_group, warp_group };

class Walker {
 public:
  // Statements of the function itself behind `last_node` are not walked.
  Walker(const Program& program, Trace& trace, std::uint64_t steps, std::uint32_t last_node)
      : program_(program), trace_(trace), e_(trace.expressions), last_node_(last_node), most_steps_(steps) {}

  void run(std::uint32_t function, const LaunchedWith& with);

 private:
  struct Slot {
    std::string_view name;
    Value value;
    bool is_called = false;  // a lambda, which is followed where it is called
  };
  struct Frame {
    std::uint32_t function = 0;
    std::size_t first_slot = 0;
    std::uint32_t context = 0;
    std::optional<Value> result = {};
    ExprId result_when = 1;
    ExprId outer_returned = 1;
    ExprId outer_stays = 1;
    std::string_view record = {};      // the class of the function
    std::optional<Value> object = {};  // that a member function was called on
    bool gives_address = false;        // of what it returns a reference to
    NodeRef call = {};                 // by which the function was entered
  };
  // The targets of `break` and `continue`.
  struct Breakable {
    bool is_loop = true;
    std::uint32_t context = 0;
  };
  struct Scope {
    Walker& walker;
    std::size_t slots;
    explicit Scope(Walker& w) : walker(w), slots(w.slots_.size()) {}
    ~Scope() { walker.drop_slots(slots); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
  class Deeper;
  static constexpr std::size_t deepest_inlining = 8;
  static constexpr std::uint32_t nodes_of_a_step = 16;  // that are only passed

  // While it lives, barriers stand at `use`, or where an outer one stands; at their own places where `use` is no node.
  class StandsFor {
   public:
    StandsFor(Walker& walker, NodeRef use) : walker_(walker), outer_(walker.stands_at_) {
      if (use.node == none || outer_.node == none) walker_.stands_at_ = use;
    }
    ~StandsFor() { walker_.stands_at_ = outer_; }
    StandsFor(const StandsFor&) = delete;
    StandsFor& operator=(const StandsFor&) = delete;

   private:
    Walker& walker_;
    NodeRef outer_;
  };

  const Source& source() const { return *here_; }
  // Continues in that file; returns the one it was in.
  std::uint32_t enter(std::uint32_t source) {
    here_ = &program_.sources()[source];
    return std::exchange(source_, source);
  }
  const model::cuda::Syntax& syntax() const { return source().syntax; }
  std::string_view text(std::uint32_t node) const { return source().text_of(node); }
  NodeRef ref(std::uint32_t node) const { return {source_, node}; }

  // walk_records.cc
  using RecordParts = std::array<std::string_view, 3>;
  const RecordParts& parts_of(std::string_view type);
  std::optional<Value> record_of(std::string_view type, const std::vector<Value>& values);
  std::optional<Value> record_in_list(std::string_view type, std::uint32_t list);
  ExprId* part_of(Value& record, std::string_view name);
  bool may_change_unseen(std::string_view variable);
  bool is_given_away(std::uint32_t name);
  bool takes_reference(std::uint32_t list, std::uint32_t argument, bool is_part);
  bool forget_record(std::uint32_t slot);
  void forget_changed_by(std::uint32_t object, std::uint32_t method);

  // walk_statements.cc
  void walk(std::uint32_t node);
  void walk_children(std::uint32_t node);
  void walk_if(std::uint32_t node);
  void walk_switch(std::uint32_t node);
  std::string_view returned_type() const;
  void walk_return(std::uint32_t node);
  void leave_loop(bool for_good);
  ExprId condition(std::uint32_t clause);
  ExprId truth(const Value& value);
  ExprId reached_since(std::uint32_t context) const;
  std::uint32_t push_context(ExprId condition, bool is_loop, std::uint32_t node);
  template <typename Body>
  void under(ExprId holds, bool is_loop, std::uint32_t node, Body&& body) {
    const std::uint32_t outer = context_;
    context_ = push_context(holds, is_loop, node);
    body();
    context_ = outer;
  }
  std::vector<std::pair<std::uint32_t, Value>> changes_since(std::size_t mark);
  Value merged(ExprId condition, const Value& yes, const Value& no);

  // walk_steps.cc
  struct Change {
    std::uint32_t slot = 0, count = 0, node = none, last = none;  // the first and the last node that change it
  };
  std::vector<Change> changes_in(std::uint32_t node);
  std::uint32_t changed_name(std::uint32_t node) const;
  std::uint32_t unwrapped(std::uint32_t node) const;
  bool is_in_each_iteration(std::uint32_t node, std::uint32_t loop) const;
  std::uint32_t first_continue(std::uint32_t loop);
  std::optional<std::int64_t> shift_of(const Change& change, std::uint32_t loop);
  std::optional<ExprId> step_of(const Change& change, std::uint32_t loop, const std::vector<Change>& all);
  std::optional<ExprId> step_by(const Change& change, const std::vector<Change>& all);
  std::optional<ExprId> step_of_inner(const Change& change, std::uint32_t loop, const std::vector<Change>& all);
  bool is_guarded_by_itself(std::uint32_t node, std::uint32_t loop) const;
  std::vector<std::uint32_t> loops_around(std::uint32_t node, std::uint32_t loop) const;
  bool have_equal_counts(const std::vector<std::uint32_t>& loops, std::uint32_t first) const;
  void add_referred(std::uint32_t call, std::vector<std::uint32_t>& names) const;

  // walk_loops.cc
  void walk_for(std::uint32_t node);
  void walk_while(std::uint32_t node);
  void walk_range_for(std::uint32_t node);
  void assign_all(const std::vector<std::pair<std::uint32_t, Value>>& values);
  void walk_loop(std::uint32_t node, std::uint32_t condition, std::uint32_t update, std::uint32_t body);
  // The loop_value that a variable has in a loop.
  struct Guess {
    std::uint32_t slot = 0;
    ExprId value = 0;
    bool may_be_skipped = false;  // its change, by a `continue` before it
  };
  ExprId loop_value_of(ExprId before);
  void settle(const std::vector<Guess>& guesses);
  void note_tree(Loop& loop, const Change& change, ExprId value);
  std::uint32_t begin_loop(std::uint32_t node);
  ExprId unless_left_at_once(std::uint32_t body, ExprId again);
  void note_unroll(Loop& loop, std::uint32_t node);

  // walk_declarations.cc
  void declare(std::uint32_t declaration);
  void declare_one(std::uint32_t declaration, std::uint32_t declarator);
  bool holds_shared(std::string_view type) const;
  void note_kind_of_number(std::uint32_t declaration, Value& first);
  bool is_copy_of_record(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t value);
  void declare_array(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t name);
  std::uint32_t known_shared(std::uint32_t declaration, bool is_dynamic, std::uint32_t name);
  void declare_parameter(std::uint32_t parameter, const Value* value);
  void note_launch_bounds(std::uint32_t function);
  void declare_template_parameters(std::uint32_t function, const LaunchedWith* launched = nullptr);
  Value initial(std::uint32_t declaration, std::uint32_t declarator, std::uint32_t value);
  Value triple_of(std::uint32_t list);
  std::optional<std::int64_t> whole_number_at(std::uint32_t node) const;
  Value eval_as_parameter(std::uint32_t parameter);
  bool has_rows(const Value& value) const;
  Value retyped(Value value, std::string_view type, std::uint32_t levels);
  std::string_view type_text(std::uint32_t declaration);
  std::uint32_t add_memory(Space space, std::string_view name, std::string_view type, std::uint32_t node);
  Value pointer_to(std::uint32_t memory, std::uint32_t levels = 1);
  Value kept(Value value);
  void put_slot(std::string_view name, const Value& value);
  void drop_slots(std::size_t to);
  std::optional<std::uint32_t> slot_named(std::string_view name) const;
  void assign(std::uint32_t slot, const Value& value);

  // walk_tensors.cc
  bool declare_tensor(std::string_view type, std::uint32_t name, std::uint32_t parameter);
  bool declare_image(std::string_view type, std::uint32_t name, std::uint32_t parameter);
  bool is_image(const Value& object) const;
  std::optional<Value> member_of_image(std::uint32_t object, std::string_view name);
  Value elements_of(Value array) const;
  std::optional<Value> eval_image_method(const Value& image, std::string_view name, const std::vector<Value>& arguments);
  std::optional<Value> eval_image_element(const Value& image, const std::vector<Value>& arguments, std::uint32_t call);
  std::optional<Value> eval_tensor_method(const Value& object, std::string_view name, const std::vector<Value>& arguments);

  // walk_expressions.cc
  Value eval(std::uint32_t node);
  Value eval_kind(std::uint32_t node);
  Value eval_identifier(std::uint32_t node);
  void note_unknown_name(std::uint32_t node);
  std::optional<Value> eval_global(std::string_view name);
  std::optional<Value> eval_constant_of(std::string_view record, std::string_view name);
  Value eval_initial(const Global& global, std::string_view name, std::string_view record);
  std::optional<Value> eval_enumerator(std::string_view name);
  Value global_memory(const Global& global);
  Value eval_number(std::uint32_t node);
  Value eval_binary(std::uint32_t node);
  Value eval_after(ExprId holds, std::uint32_t operand);
  Value eval_unary(std::uint32_t node);
  Value eval_conditional(std::uint32_t node);
  Value eval_assignment(std::uint32_t node);
  Value eval_update(std::uint32_t node);
  Value eval_sizeof(std::uint32_t node);
  Value eval_cast(std::uint32_t node);
  Value eval_others(std::uint32_t node);
  Value arithmetic(Op op, const Value& a, const Value& b);
  // What an assignment does to the value before: Access::is_update and adds_constant.
  struct Update {
    bool is_one = false, of_constant = false;
  };
  Update update_in(std::uint32_t left, std::uint32_t right);
  void store(std::uint32_t left, const Value& value, Update update);
  Value number(std::int64_t value) { return {.expr = e_.constant(value)}; }
  Value with(ExprId expr) { return {.expr = expr}; }

  // walk_memory.cc
  bool is_memory(std::uint32_t node);
  bool is_in_memory(const Value& variable) const;
  Value eval_as_place(std::uint32_t node);
  bool is_rooted(std::uint32_t node) const;
  Value address_of(std::uint32_t node);
  Value address_of_subscript(std::uint32_t node);
  Value address_of_field(std::uint32_t node);
  void set_rows(const MemberType& member, Value& address);
  Value address_of_member(Value address, std::string_view name, std::uint32_t node);
  Value eval_field(std::uint32_t node);
  Value eval_pointer(std::uint32_t node);
  Value pointer_from(const Value& value, std::uint32_t node);
  Value pointed_by(const std::string& key, Space space, std::string_view type, std::uint32_t levels, std::uint32_t node);
  // walk_objects.cc
  void make_object(Value& value, std::string_view type, std::uint32_t name);
  struct NamedParts {
    std::vector<std::string_view> members;
    bool has_whole = false;
  };
  std::optional<std::vector<std::string_view>> members_named_of(std::string_view variable);
  Value copied(Value place, std::uint32_t node, std::string_view variable);
  std::uint32_t memory_of_member(std::uint32_t object, std::string_view name, std::uint32_t node);
  std::optional<Value> address_in_object(std::uint32_t object, std::string_view name, std::uint32_t node);
  std::optional<Value> array_in_record(const Value& record, std::string_view name, std::uint32_t node);
  std::optional<Value> eval_in_object(const Value& object, std::string_view name, std::uint32_t node);
  std::uint32_t object_in(std::uint32_t node);
  bool store_in_object(std::uint32_t left, const Value& value);
  Value eval_new(std::uint32_t node);
  Value heap_array(std::uint32_t node, std::string_view type);
  // walk_methods.cc
  const Struct* class_of(const Value& object) const;
  std::optional<Value> member_of(const Value& object, std::string_view name, std::uint32_t node);
  // A number that the launch gives.
  void add_size(ExprId number, std::string_view name) {
    trace_.parameters.push_back(number);
    trace_.parameter_names.push_back(name);
    if (!trace_.is_often_one(number)) e_.mark_size(number);
  }
  void note_member_of_unknown(const Value& object, ExprId member);
  bool assigns_members_of(std::string_view parameter);
  std::optional<Value> member_of_this(std::string_view name, std::uint32_t node);
  const Value* this_in_memory(std::string_view member) const;
  std::uint32_t method_called(const Value& object, std::string_view name, std::size_t arguments);
  std::optional<Value> eval_member_function(const Value& object, std::string_view name, const std::vector<Value>& arguments,
                                            std::uint32_t call);
  bool returns_reference(std::uint32_t call);
  Value offset_by(Value pointer, ExprId index);
  Value loaded(const Value& address, std::uint32_t node);
  std::uint32_t note_access(const Value& address, std::uint32_t node, Access::Kind kind);
  bool is_partial(const Value& address) const;
  ExprId uniform_named(std::string_view name);
  std::string_view name_of(ExprId uniform) const;  // empty for other expressions

  // walk_calls.cc
  Value eval_call(std::uint32_t node);
  Value eval_launch(std::uint32_t node, std::uint32_t config);
  // launch_calls.cc
  using Extents = std::array<std::optional<std::int64_t>, 3>;  // along x, y and z, where they are constants
  struct Config {
    Extents grid, block;
    std::optional<std::int64_t> least_block;
    model::cuda::GridRounding rounding;
    ExprId blocks = 0;  // along x
    std::array<std::uint32_t, 2> nodes{none, none};
    std::optional<std::int64_t> shared;
    std::uint32_t extents = 0;  // how many have been seen: the grid, then the block
  };
  std::optional<std::int64_t> constant_of(const Value& value) const;
  Extents extents_of(const Value& value) const;
  std::optional<std::int64_t> least_of(const Value& extent) const;
  std::string_view size_of_block(const Value& extent, std::uint32_t node);
  bool is_compared(ExprId size);
  std::vector<std::optional<std::int64_t>> template_arguments(std::uint32_t name);
  std::uint32_t called_name(std::uint32_t node) const;
  std::uint32_t kernel_in(std::uint32_t list);
  static constexpr std::size_t unknown_place = 1'000;  // of an argument
  std::uint32_t config_of(const std::vector<Value>& arguments, std::uint32_t list, std::size_t between = 0,
                          std::size_t extents_at = unknown_place);
  void note_launch_by_call(std::uint32_t node, const std::vector<Value>& arguments, std::uint32_t object_config);
  void store_config_field(Value& object, std::string_view field, const Value& value, std::uint32_t node);
  void add_extent(Config& config, const Value& value, std::uint32_t node);
  // grid_rounding.cc
  bool refuses_rest(ExprId blocks) const;
  void note_refused_rest(ExprId condition, std::uint32_t consequence);
  bool leaves_function(std::uint32_t statement) const;
  bool rounds_up(ExprId blocks) const;
  bool rounds_down(ExprId blocks) const;
  model::cuda::GridRounding rounding_of(const Value& grid) const;
  bool exceeds_constant(std::uint32_t node, Op op, const Value& a, const Value& b);
  std::optional<Value> eval_ceil(std::string_view name, std::uint32_t call);

  Value eval_object(std::uint32_t call, std::uint32_t function, std::string_view method);
  Value eval_method(std::uint32_t node, std::uint32_t function);
  std::optional<Value> eval_known(std::string_view name, std::uint32_t node, std::uint32_t function);
  std::uint32_t first_argument(std::uint32_t call) const;
  bool ends_with_zero(std::uint32_t call) const;
  std::optional<Value> eval_part_of_complex(std::string_view name, std::uint32_t node);
  std::optional<Value> eval_synchronization(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node);
  static bool is_of_random_numbers(std::string_view name);
  void note_random_state(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node);
  std::optional<Value> eval_memory_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node);
  std::optional<Value> eval_arithmetic_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t callee);
  ExprId reversed_bits(ExprId bits);
  ExprId mixture(ExprId parts);
  std::optional<Value> eval_macro(std::string_view name, const std::vector<Value>& arguments);
  std::optional<Value> eval_index_of_blas(std::string_view name, const std::vector<Value>& arguments);
  std::uint32_t function_called(std::string_view name, std::size_t arguments);
  bool may_follow(std::uint32_t function) const;
  std::optional<Value> eval_inlined(std::uint32_t function, const std::vector<Value>& arguments, std::uint32_t call);
  std::optional<Value> eval_lambda(std::uint32_t slot, const std::vector<Value>& arguments, std::uint32_t call);
  Value follow(std::uint32_t function, const std::vector<Value>& arguments, std::uint32_t call, const Value* object = nullptr);
  // walk_references.cc
  static bool is_changeable_reference(const Source& source, std::uint32_t parameter);
  struct Reference {
    std::uint32_t variable = 0, parameter = 0;  // slots: of the caller, and of the function that is followed
  };
  std::vector<std::uint32_t> variables_in(std::uint32_t call) const;
  std::vector<Reference> declare_arguments(const std::vector<std::uint32_t>& parameters, const std::vector<Value>& arguments,
                                           const std::vector<std::uint32_t>& variables);
  std::vector<std::pair<std::uint32_t, Value>> results_of(const std::vector<Reference>& references, bool all_stay);
  void forget_pointed(std::uint32_t call);
  void note_stores_of_elements(std::uint32_t call);
  void note_stores_by_reference(std::uint32_t call, const Function& callee, const std::vector<Value>& arguments);
  bool takes_record_by_reference(std::uint32_t function, std::size_t position) const;
  void push_lambda_frame();
  void pop_lambda_frame();
  void walk_lambda(std::uint32_t lambda);
  void follow_uncalled_lambdas(std::size_t first_slot);
  bool is_deep() const { return frames_.size() > deepest_inlining; }
  Value unknown_call(const std::vector<Value>& arguments);
  std::vector<Value> eval_arguments(std::uint32_t node, std::uint32_t callee = none);
  BarrierSite* note_barrier(std::uint32_t node);
  BarrierSite barrier_site(std::uint32_t node);
  void note_block_collective(std::uint32_t object, std::uint32_t node);
  void note_exchange(std::string_view name, std::uint32_t access, std::uint32_t node);
  void note_order(OrderSite::Kind kind);
  void note_unknown_order();
  void note_warp_barrier(std::uint32_t node);
  void note_object_collective(std::uint32_t lanes, std::uint32_t node);
  void note_legacy_collective(std::string_view name, std::uint32_t node);
  void note_division(std::optional<Op> op, const Value& dividend, const Value& divisor, std::uint32_t node);
  void note_warp_collective(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node);

  // walk_groups.cc
  std::optional<Value> eval_group_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t function,
                                       std::uint32_t node);
  bool is_larger_than_warp(const Value& object) const;
  void note_group_barrier(const Value& group, std::uint32_t node);
  void note_tile_collective(const Value& object, std::uint32_t node);
  Value eval_group_method(const Value& object, std::string_view name, std::uint32_t node);
  Value group_rank(const Value& object);
  Value group_size(const Value& object);
  Value meta_group(const Value& object, bool is_size);
  ExprId tile_size(std::uint32_t templated);
  Value tile_of(ExprId size);
  ExprId thread_rank();

  const Program& program_;
  Trace& trace_;
  Expressions& e_;
  std::uint32_t source_ = 0;
  const Source* here_ = nullptr;         // that file
  std::array<std::byte, 16384> buffer_;  // enough for most kernels
  std::pmr::monotonic_buffer_resource scratch_{buffer_.data(), buffer_.size()};
  std::pmr::vector<Slot> slots_{&scratch_};
  std::pmr::unordered_map<std::string_view, std::pmr::vector<std::uint32_t>> by_name_{&scratch_};
  std::pmr::vector<std::pair<std::uint32_t, Value>> log_{&scratch_};  // the values that slots had before they were assigned
  std::pmr::vector<Frame> frames_{&scratch_};
  std::pmr::vector<Breakable> breakables_{&scratch_};
  static constexpr std::int64_t first_named_uniform = 1'000'000;
  std::pmr::unordered_map<std::string_view, std::int64_t> uniform_names_{&scratch_};
  std::unordered_map<ExprId, bool> compared_;                        // sizes of blocks
  std::pmr::vector<std::string_view> names_of_uniforms_{&scratch_};  // from first_named_uniform on
  std::pmr::unordered_map<std::string_view, std::uint32_t> global_memories_{&scratch_};
  std::unordered_map<std::string_view, RecordParts> record_parts_;  // by type
  // By function: the variables that may change unseen.
  std::unordered_map<std::uint32_t, std::unordered_set<std::string_view>> unseen_changes_;
  std::vector<std::pair<NodeRef, std::uint32_t>> shared_declared_;  // memories of arrays in shared memory, by the name in their declaration
  std::uint32_t dynamic_memory_ = none;                             // the first `extern __shared__` array
  std::unordered_map<std::string, std::uint32_t> pointed_;          // memories behind pointers without a declaration
  std::map<std::pair<ExprId, std::string_view>, ExprId> members_;   // the numbers that objects hold, by object and name
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> object_members_;  // memories of members, by object and name
  std::unordered_set<ExprId> unknown_members_;                                          // of objects whose class is not given
  std::unordered_set<std::string_view> template_types_;                                 // parameters of the kernel's template
  std::optional<std::unordered_set<std::string_view>> changed_objects_;  // names whose members the function changes; not yet looked for
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, NamedParts>> named_members_;  // by function and variable
  NodeRef addressed_;  // the call whose result is wanted as an address
  std::vector<Config> configs_;
  // Of host code: sizes that are multiples from there on, since it leaves the function where they leave a rest.
  struct RefusedRest {
    ExprId size = 0;
    std::int64_t by = 1;
    std::uint32_t context = 0;
  };
  std::vector<RefusedRest> refused_rests_;
  std::unordered_map<std::uint32_t, std::unique_ptr<ValueTypes>> host_types_;  // of functions of the host that call ceil()
  std::uint32_t context_ = 0, loop_ = none;
  ExprId returned_ = 1, left_ = 1;  // 1 at first: the thread has neither returned nor left the iteration
  ExprId runs_ = 1, stays_ = 1;     // the same of leaving the kernel, and of leaving functions that are inlined in it
  std::uint32_t last_node_;
  std::uint64_t most_steps_, steps_ = 0;
  std::unordered_set<std::string_view> seen_atomics_;
  std::pair<const Source*, std::uint32_t> typed_{nullptr, none};  // the declaration whose type was asked for last,
  std::uint32_t type_ = none;                                     // and its type
  NodeRef stands_at_;  // the use of a macro, or of a function of one statement, whose inside is followed; no node outside of them
  std::uint32_t depth_ = 0, resolving_ = 0;
  bool is_kernel_ = true;
  bool quiet_ = false;     // evaluates without recording accesses
  bool is_ahead_ = false;  // met a name, while quiet, that is not declared yet
};

}  // namespace frx::derive::cuda
