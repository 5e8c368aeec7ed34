#pragma once

namespace frx::cli {

// For std::set_terminate(). A destructor of a library (of JSON trees), and std::filesystem::directory_iterator, which is noexcept within,
// may ask for memory, and then nothing can catch what is thrown: the process ends with a message and exit code 1. Of any other exception it
// aborts.
[[noreturn]] void terminate();

// For SIGBUS: the disk under a block of base/spill.h failed. A message and exit code 1.
[[noreturn]] void end_of_a_failed_disk(int signal);

}  // namespace frx::cli
