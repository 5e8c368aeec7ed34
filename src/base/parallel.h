// The same work for each of many items, on all cores.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>

namespace frx {

// At most so many threads from here on, also of work that is further down; 0: as many as there are cores.
void set_most_threads(std::size_t count);
// That number, or that of the cores.
std::size_t most_threads();

// Calls work(i) once for each i below `count`, in any order and from several threads at once; returns when all are
// done. What `work` throws is thrown again when all threads have ended. The process never runs more than most_threads(), so that work
// may start further parallel work.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

// The same for items of a fraction of a millisecond each: of a few of them, in order on this thread, since starting another takes as long.
void for_many_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

// Does different work at the same time, by the same rules.
void do_in_parallel(std::initializer_list<std::function<void()>> tasks);

}  // namespace frx
