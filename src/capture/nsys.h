// Reports of Nsight Systems (.nsys-rep) are exported by its own program; their format is not documented.
#pragma once

#include <string>

#include "capture/host.h"

namespace frx::capture {

// Writes the report at `report` as a database at `database`; `nsys` is the path of the program. Ten minutes at most. Fails, naming the
// report: it ended with an error, whose first line is told; frx was told to stop.
Result<> export_with_nsys(const std::string& nsys, const std::string& report, const std::string& database, const Host& host);

}  // namespace frx::capture
