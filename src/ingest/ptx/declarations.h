// Declarations of registers, variables and parameters.
//
//   .reg .b32 %r<54>;
//   .extern .shared .align 16 .b8 s[];
//   .global .align 4 .b8 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
//   .param .u64 .ptr .global .align 16 saxpy_param_0
#pragma once

#include <cstdint>

#include "ingest/ptx/reading.h"
#include "ingest/ptx/scopes.h"

namespace frx::ingest::ptx {

// Does the token begin a declaration, apart from its linkage?
bool at_declaration(const Reading& in);

// Reads a declaration with its `;`. Registers need `scopes`, nullptr outside of functions. Variables are
// added to the module.
bool read_declaration(Reading& in, Scopes* scopes, model::Linkage linkage);

// Reads `(.param ..., .param ...)` when there is one and adds the parameters to the variables of the module, or their registers where a
// function before PTX 2.0 takes those.
bool read_parameters(Reading& in, Scopes& scopes);

// Consumes `.visible`, `.extern`, `.weak` and `.common`.
model::Linkage read_linkage(Reading& in);

}  // namespace frx::ingest::ptx
