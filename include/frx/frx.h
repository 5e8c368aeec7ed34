/* frx as a library, libfrx.so: its analyses called from another program. A stable C ABI.
 *
 *   char* reply = NULL;
 *   const char request[] = "{\"arguments\": [\"analyze\", \"kernel.ptx\", \"--json\"]}";
 *   frx_call(request, sizeof request - 1, &reply);
 *   puts(reply);                // {"exit_code": 0, "output": "{...}", "messages": ""}
 *   frx_free(reply);
 *
 * Texts are UTF-8; sizes are bytes. Replies end in a zero byte and are given back with frx_free. Nothing is printed, no signal is
 * handled, and no exception leaves a function. All of them may be called from several threads at once.
 */
#ifndef FRX_FRX_H
#define FRX_FRX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns what the program would exit with: 0 done, 1 cannot be read or is not what it should be, 2 wrong arguments,
 * 3 not enough evidence, 4 environment missing; and -1 when there is no reply, which happens only without memory. */

/* Runs a command as on the command line. `request`: {"arguments": [text, ...]}. The reply is an object with exit_code, output (what
 * the program prints) and messages (what it says on its error stream). Commands that start other programs (`profile -- COMMAND`)
 * take over signals meanwhile: run the program frx for them. */
int frx_call(const char* request, size_t size, char** reply);

/* Analyses PTX, or an export of Nsight Compute, that is in memory. `gpu_model` is what --gpu-model takes, or NULL. The reply is the
 * `result` of `frx analyze FILE --json`, or {"error": {"message": text, "hint": text}}. */
int frx_analyze_ptx_text(const char* text, size_t size, const char* gpu_model, char** reply);
int frx_analyze_ncu_csv_text(const char* text, size_t size, const char* gpu_model, char** reply);

/* "0.1.0"; never given back. */
const char* frx_version(void);

/* Gives a reply back; NULL is fine. */
void frx_free(char* reply);

#ifdef __cplusplus
}
#endif

#endif
