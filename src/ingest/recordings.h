// Which files of a folder are recordings, by their names: for commands that look for something to do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frx::ingest {

// "a.ncu-rep", "run.nsys-rep", "rank0.pt.trace.json.gz" and the like; a CSV or JSON of any other name may be anything.
bool is_named_as_recording(std::string_view file);

// Their paths below the folder, at most `most`, in the order of their names. Folders whose name begins with a dot, links to folders, and
// what lies further down than six folders are not looked into; nor is a run bundle, which is one recording.
std::vector<std::string> recordings_below(const std::string& folder, std::size_t most);

}  // namespace frx::ingest
