// Which operator of a recording a person means, when it is to be run again without the model.
#pragma once

#include <string>
#include <string_view>

#include "report/operators/operator_profile.h"

namespace frx::report {

// The name as it is recorded: this one, or the only one that ends so. Errors name the nearest operator, or say which operator stands for
// what cannot be run by itself: a node of the backward pass, a call of the runtime, a kernel, a range, a collective.
Result<std::string> replayed_name(const OperatorProfile& profile, std::string_view wanted);

// Do operators of this name come with PyTorch itself, without another module?
bool comes_with_torch(std::string_view name);

}  // namespace frx::report
