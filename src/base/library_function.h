// Functions of libraries that are loaded while the program runs, where they are there.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace frx {

// Stays nullptr where the library has none of the names.
template <typename Function>
void find_function(void* library, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if ((function = reinterpret_cast<Function*>(::dlsym(library, name))) != nullptr) return;
  }
}

}  // namespace frx
