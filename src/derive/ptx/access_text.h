// Addresses and their cost as text.
#pragma once

#include <string>

#include "derive/ptx/affine_atoms.h"
#include "derive/ptx/memory_access.h"

namespace frx::derive::ptx {

// "param_0 + 4*ctaid.x*ntid.x + 4*tid.x"; "?" stands for a value without a name.
std::string formula_of(const ::frx::model::ptx::Module& module, const Atoms& atoms, FormId form);

// "adjacent threads are 4*param_3 bytes apart: 32 sectors of 32 bytes where 4 would do"
std::string sentence_of(const MemoryAccess& access);

}  // namespace frx::derive::ptx
