// An answer as a page for a browser: one file that needs nothing else, and asks no other machine for anything.
#pragma once

#include <string>
#include <string_view>

#include "answer/document.h"

namespace frx::render {

// The content of <main>: every text that came out of a file is escaped, and nothing in it is a link, an image or a script.
std::string html_of(const answer::Document& document);
// "<", ">", "&" and quotes as entities; control characters are shown as escapes.
std::string html_text(std::string_view text);
// The style of the page, and the script of its figures and buttons. What they are is part of a page as a hash (Content-Security-Policy).
std::string_view page_style();
std::string_view page_script();
// Why this program was built without the script, in words; "" where it is there.
std::string_view page_problem();
// "style-src 'sha256-...'; script-src 'sha256-...'" and nothing else, for pages that carry both inside.
const std::string& content_security_policy();

}  // namespace frx::render
