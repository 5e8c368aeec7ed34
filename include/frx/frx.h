/* frx as a library, libfrx.so: its analyses called from another program. A stable C ABI.
 *
 *   char* reply = NULL;
 *   const char request[] = "{\"arguments\": [\"analyze\", \"kernel.ptx\", \"--json\"]}";
 *   frx_call(request, sizeof request - 1, &reply);
 *   puts(reply);                // {"exit_code": 0, "output": "{...}", "messages": ""}
 *   frx_free(reply);
 *
 * Texts are UTF-8; sizes are bytes. Replies end in a zero byte and are released with frx_free. Nothing is printed, no signal is
 * handled, and no exception leaves a function. All of them may be called from several threads at once.
 */
#ifndef FRX_FRX_H
#define FRX_FRX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns the exit code of the program: 0 done, 1 input that is unreadable or malformed, 2 wrong arguments,
 * 3 not enough evidence, 4 environment missing; and -1 when there is no reply, which happens only without memory. */

/* Runs a command as on the command line. `request`: {"arguments": [text, ...]}. The reply is an object with exit_code, output (its
 * standard output) and messages (its standard error). Or answers a request of the HTTP API (docs/http-api.md), without a server:
 * {"path": "/reconcile", "body": {...}}, where output is the body of its answer. Commands that start other programs (`profile -- COMMAND`)
 * take over signals meanwhile: run the program frx for them. */
int frx_call(const char* request, size_t size, char** reply);

/* Analyses PTX, or an export of Nsight Compute, that is in memory. `gpu_model` is a value of --gpu-model, or NULL. The reply is the
 * `result` of `frx analyze FILE --json`, or {"error": {"message": text, "hint": text}}. */
int frx_analyze_ptx_text(const char* text, size_t size, const char* gpu_model, char** reply);
int frx_analyze_ncu_csv_text(const char* text, size_t size, const char* gpu_model, char** reply);

/* "0.1.0"; static, never released. */
const char* frx_version(void);

/* Releases a reply; NULL is allowed. */
void frx_free(char* reply);

#ifdef __cplusplus
}
#endif

#endif
