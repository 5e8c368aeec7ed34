// What an execution of a kernel would do, in order: accesses, barriers, loops, conditions.
//
// One thread is followed through the code, with every value as an expression (expressions.h): both branches of a condition, each loop
// once with its counter as a variable, and functions of the same program where they are called.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/cuda/expressions.h"
#include "derive/cuda/program.h"

namespace frx::derive::cuda {

enum class Space : std::uint8_t { global, shared, local, constant, unknown };

// Something a pointer can point into: an array, or what a parameter points to.
struct Memory {
  Space space = Space::unknown;
  std::string_view name;
  std::string_view type;        // of its elements, as written
  bool is_of_numbers = true;    // by the name of that type; where its size is unknown, elements of other names may be records
  std::uint32_t bytes = 0;      // of an element; 0: unknown
  std::vector<ExprId> dims;     // of an array
  bool is_dynamic = false;      // extern __shared__
  bool is_scalar = false;       // its name alone is its value
  bool is_fixed = false;        // constant memory that is const as well: the compiler may know its elements
  bool is_read_only = false;    // constant memory, and what a parameter of a kernel points to as const
  bool holds_pointers = false;  // to rows of their own, which threads follow
  bool is_heap = false;         // allocated by each thread for itself
  bool is_passed = false;       // to a function that is not known
  bool is_unaliased = false;    // a parameter that is __restrict__
  bool is_object = false;       // of a thread, whose members have memories of their own
  bool is_tensor = false;       // of PyTorch, whose extents, and so its strides, are those of one that is contiguous
  bool is_image = false;        // of OpenCV: rows that lie a pitch apart
  ExprId columns = 0;           // of an image, of which a row has no more than the pitch; else 0
  bool holds_data = false;      // of an object, or a member of one, that was copied from memory
  NodeRef at;
};

struct Access {
  enum Kind : std::uint8_t { load, store, atomic };

  NodeRef at;
  std::uint32_t memory = none;
  ExprId address = 1;         // bytes from the beginning of the memory
  std::uint32_t bytes = 0;    // touched by one thread; 0: unknown
  bool is_guess = false;      // those of a float, because the type is not known,
  bool is_recast = false;     // and the pointer was one to something else before
  std::uint32_t element = 0;  // bytes of the element that contains it
  std::uint32_t piece = 0;    // of a whole record: the bytes that one instruction moves at most, by its alignment; else 0
  Kind kind = load;
  std::uint32_t context = 0, loop = none;
  ExprId alive = 1;            // nonzero in threads that have not returned
  bool is_constant = false;    // of a store: the value is a number
  bool is_same = false;        // of a store or an atomic: all threads that make it have the same value
  bool is_own = false;         // of an atomic: each of them has its own
  ExprId value = 1;            // of a store, if it is a number
  bool is_update = false;      // of a store: to what the element was before, `a[i] += x` or `a[i] = a[i] + x`
  bool adds_constant = false;  // and that is a number which the code gives
  bool is_asked = false;       // of an atomic: the value that it returns is used
  bool is_exchange = false;    // of an atomic: it is atomicCAS() or atomicExch()
  bool is_sum = false;         // of an atomic: it is atomicAdd() or atomicSub(), and not of 0
  bool is_state = false;       // of a generator of random numbers
  bool is_vague = false;       // a member of an object whose layout is unknown: the address is that of the object
};

// A condition under which code is executed; the outermost one, 0, is always true.
struct Context {
  std::uint32_t parent = none;
  ExprId condition = 1;
  bool is_loop = false;  // the condition for another iteration
  NodeRef at;
  bool is_case = false;  // of a switch
};

// A barrier of the block, or a collective operation that all its threads have to take part in.
struct BarrierSite {
  NodeRef at;
  std::uint32_t context = 0, loop = none;
  ExprId alive = 1;            // nonzero in threads that have neither returned nor left the iteration
  ExprId stays = 1;            // nonzero in threads that no break, continue or return of an inlined function takes around it
  ExprId runs = 1;             // nonzero in threads that have not left the kernel
  std::uint32_t accesses = 0;  // how many were recorded before it
  bool is_named = false;       // of a part of the block, perhaps
  bool is_collective = false;  // __syncthreads_or() and the like, whose result all threads use
};

// What may order the accesses before it and after it.
struct OrderSite {
  enum Kind : std::uint8_t { block, warp, fence, unknown };

  Kind kind = block;
  std::uint32_t accesses = 0;  // how many were recorded before it
};

// An operation of the lanes of a warp that its mask names.
struct WarpCollective {
  NodeRef at;
  std::uint32_t context = 0;
  ExprId stays = 1, runs = 1;
  std::optional<std::int64_t> mask;
  std::uint32_t lanes = 32;   // of the tile that makes it
  bool reads_ahead = false;   // a shuffle by which lanes take what others of all 32 have, which may lie behind them
  bool is_of_object = false;  // made through a tile or an object of a library, without a mask that is written
};

// A variable that a loop changes in no simple way: the value before the loop, and the one that an iteration leaves.
struct LoopValue {
  ExprId id = 0, before = 1, made = 1;
};

// atomicCAS() or atomicExch(): whether its result decides what is executed next, as when a lock is taken, or is not looked at.
struct Exchange {
  std::uint32_t access = none;
  bool decides = false;
};

struct Loop {
  NodeRef at;
  std::uint32_t parent = none;
  std::uint32_t context = 0;  // around it, which is also that of its condition
  ExprId iteration = 1, condition = 1;
  std::string factor;
  bool is_unrolled = false;
  std::uint32_t first_access = 0, last_access = 0;  // the accesses in it
  std::uint32_t first_order = 0, last_order = 0;    // what may order them
  ExprId unbroken = 1;                              // nonzero in threads that no break takes out of it
  ExprId halved = 0;                                // a variable that each iteration halves, or
  ExprId doubled = 0;                               // doubles
  std::int32_t shift = 0;  // bits by which each iteration shifts some variable to the left; to the right if negative
};

struct BranchSite {
  NodeRef at;
  ExprId condition = 1;
  std::uint32_t consequence = none, alternative = none;
  std::uint32_t loop = none;
  std::uint32_t context = 0;
  std::uint32_t first_access = 0, last_access = 0;  // the accesses of both operands
  std::uint32_t last = 0;                           // the node behind the last one of the statement
};

// `sum += a[i] * b[j]`
struct MultiplyAdd {
  NodeRef at;
  std::uint32_t a = 0, b = 0;  // accesses
  std::uint32_t loop = none;
};

// A quotient or a rest in a loop, by what is no constant.
struct DivisionSite {
  NodeRef at;
  ExprId dividend = 1, divisor = 1;
};

struct LaunchSite {
  NodeRef at;                                        // the call
  std::uint32_t loop = none;                         // around it
  std::uint32_t kernel_name = none;                  // identifier of the kernel, where it is an argument: cudaLaunchKernel(k, ...)
  std::array<std::uint32_t, 2> extents{none, none};  // then: the nodes of grid and block
  std::array<std::optional<std::int64_t>, 3> grid, block;
  bool has_grid = false, has_block = false;
  model::cuda::GridRounding rounding;
  ExprId blocks = 0;                        // along x
  std::string_view size_of_block;           // the size of run time that says how many threads it has, if one does
  std::optional<std::int64_t> least_block;  // threads, where a condition of the host chooses between constants
  std::optional<std::int64_t> shared;
  std::vector<std::optional<std::int64_t>> template_arguments, arguments;  // those that are constant whole numbers
};

struct Trace {
  Expressions expressions;
  std::vector<Memory> memories;
  std::vector<Access> accesses;
  std::vector<Context> contexts;
  std::vector<BarrierSite> barriers;
  std::vector<OrderSite> orders;
  std::vector<WarpCollective> warp_collectives;
  std::vector<BarrierSite> collectives;  // of the block, from a library
  std::vector<Exchange> exchanges;
  std::vector<Loop> loops;
  std::vector<LoopValue> loop_values;  // by ascending id
  std::vector<BranchSite> branches;
  std::vector<MultiplyAdd> multiply_adds;
  std::vector<DivisionSite> divisions;
  std::vector<LaunchSite> launches;
  std::array<std::optional<std::int64_t>, 2> launch_bounds;  // of the kernel: threads, and blocks of a multiprocessor
  std::vector<std::string_view> parameter_names;             // of those
  std::vector<ExprId> parameters;                            // of the kernel, those that are numbers
  std::vector<std::uint32_t> functions;                      // the functions of the program that were followed; the kernel first
  std::vector<std::string_view> atomics;                     // by first use
  std::vector<NodeRef> warp_barriers;
  std::vector<NodeRef> heap_allocations;    // arrays of `new`, and malloc(), of device code
  std::vector<NodeRef> legacy_collectives;  // __shfl(), __any() and the like, without a mask
  bool uses_groups = false, uses_shuffles = false, uses_assembly = false;
  bool calls_unknown = false;    // an unknown function without a definition, or a name without a declaration
  bool names_unknown = false;    // a name in capitals that no file defines: a constant, or a macro for anything
  bool shared_escapes = false;   // shared memory is passed to such a function
  bool may_synchronize = false;  // through code that is only partly understood
  bool uses_fences = false;      // __threadfence(): writes are intended for other threads
  bool is_complete = true;
  std::uint64_t steps = 0;  // that were taken to follow it

  // None where `id` is no such variable.
  const LoopValue* loop_value(ExprId id) const {
    const auto at = std::ranges::lower_bound(loop_values, id, {}, &LoopValue::id);
    return at != loop_values.end() && at->id == id ? &*at : nullptr;
  }

  // Of a number that the launch passes; empty for others.
  std::string_view name_of_parameter(ExprId id) const {
    const auto at = std::ranges::find(parameters, id);
    return at == parameters.end() ? std::string_view() : parameter_names[static_cast<std::size_t>(at - parameters.begin())];
  }

  // Constants of unknown value: parameters of templates, NAMES of headers.
  void add_template_value(ExprId id) {
    if (id >= template_values_.size()) template_values_.resize(id + std::size_t{1});
    template_values_[id] = true;
  }
  bool is_template_value(ExprId id) const { return id < template_values_.size() && template_values_[id]; }
  // Sizes that are often 1: increments as BLAS has them, and constants whose names say nothing about an extent.
  void add_often_one(ExprId id) {
    if (id >= often_one_.size()) often_one_.resize(id + std::size_t{1});
    often_one_[id] = true;
  }
  // As many threads as a block has, by __launch_bounds__.
  void add_block_size(ExprId id) {
    if (is_often_one(id)) often_one_[id] = false;
  }
  bool is_often_one(ExprId id) const { return id < often_one_.size() && often_one_[id]; }

 private:
  std::vector<bool> template_values_, often_one_;  // by expression
};

// Is the condition of some branch around as asked for? Those of loops are left out.
template <class Holds>
bool any_branch_around(const Trace& trace, std::uint32_t context, Holds&& holds) {
  for (std::uint32_t c = context; c != none; c = trace.contexts[c].parent) {
    if (!trace.contexts[c].is_loop && holds(trace.contexts[c].condition)) return true;
  }
  return false;
}

// The same of what decides whether a thread makes an access: branches around it, and those by which it may have left before.
template <class Holds>
bool is_decided_by(const Trace& trace, const Access& access, Holds&& holds) {
  return holds(access.alive) || any_branch_around(trace, access.context, holds);
}

// How many steps may be taken to follow the functions of a program, which call each other: in proportion to its size, whatever the number
// of functions. What some use, others have no more; those that are followed together have the same share, so that threads change nothing.
class StepBudget {
 public:
  explicit StepBudget(const Program& program) : left_(least + std::uint64_t{per_node} * program.node_count()) {}
  std::uint64_t share_of(std::size_t functions) const { return left_ / 2 / std::max<std::size_t>(functions, 1); }
  void spend(std::uint64_t steps) { left_ -= std::min(left_, steps); }

 private:
  static constexpr std::uint64_t least = 5'000'000;
  static constexpr std::uint32_t per_node = 30;
  std::uint64_t left_;
};

// What all launches of a kernel agree on: the values of parameters of the template and of the function, by position.
struct LaunchedWith {
  std::vector<std::optional<std::int64_t>> template_arguments, arguments;
};

// `steps`: a share of it, beyond the steps that the code of the function itself takes.
Trace trace_kernel(const Program& program, std::uint32_t function, std::uint64_t steps, const LaunchedWith& with = {});

// The trace of host code: only its launches and their operands. `last_launch`: no node behind it launches.
Trace trace_host(const Program& program, std::uint32_t function, std::uint64_t steps, std::uint32_t last_launch);

}  // namespace frx::derive::cuda
