// Runs a command of frx as on the command line.
#include <frx/frx.h>

#include <iostream>
#include <memory>
#include <string>

int main() {
  const std::string request = R"({"arguments": ["gpu", "list", "--json"]})";
  char* bytes = nullptr;
  const int code = frx_call(request.data(), request.size(), &bytes);
  const std::unique_ptr<char, decltype(&frx_free)> reply(bytes, &frx_free);
  std::cout << "frx " << frx_version() << ": " << (reply ? reply.get() : "no reply") << "\n";
  return code;
}
