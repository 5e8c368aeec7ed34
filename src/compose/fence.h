// Keeps text that came from files apart from what we say, in documents that a language model reads.
//
// The delimiter is made from a hash of the text and does not occur in it, so nothing inside can close
// the fence; equal text gives equal fences, so the documents are reproducible.
#pragma once

#include <string>
#include <string_view>

namespace frx::compose {

// "DATA-1f2e3d4c5b6a7988".
std::string fence_word(std::string_view content);

// "<<<WORD\n" + content + "\nWORD>>>\n", control characters but newline and tab removed.
std::string fenced(std::string_view content);

}  // namespace frx::compose
