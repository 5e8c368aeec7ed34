/* Analyses a kernel of PTX in memory, and prints what is said of it. */
#include <frx/frx.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char* ptx =
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry nothing()\n{\n  ret;\n}\n";
  char* reply = NULL;
  int code = frx_analyze_ptx_text(ptx, strlen(ptx), NULL, &reply);
  printf("frx %s: %s\n", frx_version(), reply ? reply : "no reply");
  frx_free(reply);
  return code;
}
