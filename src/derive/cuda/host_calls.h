// What calls of host code do, by their names.
#pragma once

#include <string_view>

namespace frx::derive::cuda {

// "DeviceSynchronize" of cudaDeviceSynchronize and hipDeviceSynchronize; "" for other names.
std::string_view runtime_name(std::string_view name);

// cudaDeviceSynchronize() and its like.
bool waits_for_gpu(std::string_view name);

// Of Thrust, what launches nothing: thrust::device_pointer_cast(), make_counting_iterator().
bool is_view_of_thrust(std::string_view name);

// Does it neither need what the GPU has done so far, nor take times: another piece of work for the GPU, a look at errors, numbers?
bool goes_on_without_results(std::string_view name);

}  // namespace frx::derive::cuda
