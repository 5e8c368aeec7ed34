// Which registers matter for addresses, and for which lanes execute an access.
#pragma once

#include <vector>

#include "derive/ptx/flow_graph.h"
#include "derive/ptx/register_uses.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

class Vocabulary;

// Is it an access whose address is of interest: global, shared, local, constant or generic?
bool is_access(const ::frx::model::ptx::Form& form);

// By value of RegisterUses: whether addresses or predicates are computed from it. Takes linear time.
std::vector<bool> needed_for_addresses(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function,
                                       const Vocabulary& words, const RegisterUses& uses);

}  // namespace frx::derive::ptx
