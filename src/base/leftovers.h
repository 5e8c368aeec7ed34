// Temporary files and folders that are not left behind when a signal ends the process.
//
// SIGINT, SIGTERM and SIGHUP end a program without running a destructor. What is noted here is removed before that.
#pragma once

#include <signal.h>

#include <string>

namespace frx {

// While it lives, what it names is removed when a signal ends this process: a file, or a folder with all that is in it.
class Leftover {
 public:
  Leftover() = default;
  explicit Leftover(const std::string& path);  // beyond 64 at once, nothing is noted
  ~Leftover() { forget(); }
  Leftover(Leftover&& other) noexcept;
  Leftover& operator=(Leftover&& other) noexcept;

  void forget();

  // For main: from now on the three signals remove what is noted, and then end the process as they always do. What is ignored stays
  // ignored.
  static void remove_on_signals();

 private:
  int slot_ = -1;
  char* path_ = nullptr;
};

// Removes a file, or a folder with what is in it, 16 levels deep. Without asking for memory: destructors call it.
void remove_tree(const char* path);

// While it lives, none of the three signals interrupts this thread: between the making of a file and its note or its final name.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace frx
