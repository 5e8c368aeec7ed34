// How names of Nsight Systems are called elsewhere in the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/timeline.h"

namespace frx::ingest::nsys {

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000", "cudaMemcpyAsync" of "cudaMemcpyAsync_ptsz_v7000". Versions of the driver stay, as in
// "cuMemcpyDtoH_v2": they are part of the name there.
std::string_view call_name(std::string_view name);
// A call of the driver begins with "cu" and a capital.
model::EventKind kind_of_call(std::string_view name);

// "Memcpy HtoD (Pinned -> Device)", as traces of PyTorch have it; of managed memory "Unified Memory HtoD". The numbers are those of
// ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND, which have been the same since 2020.
std::string copy_name(std::int64_t copy_kind, std::int64_t source_kind, std::int64_t destination_kind);
// Does the copy move pages of managed memory, which no call asked for?
bool is_of_managed_memory(std::int64_t copy_kind);
// "Memset (Device)".
std::string fill_name(std::int64_t memory_kind);
// "Stream Synchronize" and the like.
std::string_view sync_name(std::int64_t sync_type);

}  // namespace frx::ingest::nsys
