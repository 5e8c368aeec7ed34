/* A FAKE of NVIDIA's NVML for tests: it looks at no GPU, its numbers are made up.
 *
 *   FAKE_NVML_GPUS     how many there are (default 2)
 *   FAKE_NVML_MODELS   "alike" (default) or "different"
 *   FAKE_NVML_UUIDS    "cuda": those of the fake CUDA driver
 *   FAKE_NVML_COUNTER  watts that the energy counter adds up (default 345.67, as the power says)
 *   FAKE_NVML_TROUBLE  "init": it does not start; "utilization": that value is not supported; "hang": a sample never ends;
 *                      "lost": every sample fails; "energy": there is no energy counter; "reset": the counter starts again
 *                      with each reading; "hangs-later": the fifth sample never ends
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { success = 0, not_supported = 3, driver_not_loaded = 9, gpu_is_lost = 15 };

static int trouble(const char* kind) {
  const char* set = getenv("FAKE_NVML_TROUBLE");
  return set != NULL && strcmp(set, kind) == 0;
}
static unsigned number_of(void* device) { return (unsigned)(size_t)device - 1; }
static int give(unsigned* into, unsigned value) {
  if (trouble("lost")) return gpu_is_lost;
  *into = value;
  return success;
}

int nvmlInit_v2(void) { return trouble("init") ? driver_not_loaded : success; }
int nvmlShutdown(void) { return success; }
const char* nvmlErrorString(int code) { return code == driver_not_loaded ? "Driver Not Loaded" : "Fake Error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return snprintf(text, size, "999.88.77") > 0 ? success : 1; }
int nvmlSystemGetNVMLVersion(char* text, unsigned size) { return snprintf(text, size, "0.fake") > 0 ? success : 1; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  const char* set = getenv("FAKE_NVML_GPUS");
  *count = set == NULL ? 2 : (unsigned)atoi(set);
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = (void*)(size_t)(index + 1);
  return success;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  const char* set = getenv("FAKE_NVML_MODELS");
  const int different = set != NULL && strcmp(set, "different") == 0;
  return snprintf(text, size, different ? "Fake GPU %u" : "Fake GPU", number_of(device)) > 0 ? success : 1;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  const char* set = getenv("FAKE_NVML_UUIDS");
  const int of_cuda = set != NULL && strcmp(set, "cuda") == 0;
  return snprintf(text, size, of_cuda ? "GPU-00000000-0000-0000-0000-%012x" : "GPU-%08x-fake", number_of(device)) > 0 ? success : 1;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* both) {
  static int samples = 0;
  if (trouble("hang") || (trouble("hangs-later") && ++samples > 4)) sleep(1000);
  if (trouble("utilization")) return not_supported;
  both[1] = 40;
  return give(both, 90 - number_of(device));
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  (void)device;
  total_free_used[0] = 80ull << 30;
  total_free_used[1] = 60ull << 30;
  total_free_used[2] = 20ull << 30;
  return trouble("lost") ? gpu_is_lost : success;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) { (void)device; return give(value, 5); }
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* value) { (void)device; return give(value, 16); }
int nvmlDeviceGetClockInfo(void* device, unsigned kind, unsigned* value) { (void)device; return give(value, kind == 1 ? 1755 : 2619); }
int nvmlDeviceGetPowerUsage(void* device, unsigned* value) { (void)device; return give(value, 345670); }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* value) { (void)device; return give(value, 700000); }
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* value) { (void)device; (void)sensor; return give(value, 61); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* value) { (void)device; *value = 4; return success; }
/* Since the machine was started. */
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  static unsigned long long falling = 1000000;
  const char* set = getenv("FAKE_NVML_COUNTER");
  const double watts = set == NULL ? 345.67 : atof(set);
  struct timespec now;
  (void)device;
  if (trouble("energy")) return not_supported;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules = (unsigned long long)(watts * ((double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6));
  if (trouble("reset")) *millijoules = falling -= 100;
  return trouble("lost") ? gpu_is_lost : success;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  (void)device;
  *major = 8;
  *minor = 0;
  return success;
}
int nvmlDeviceGetMaxClockInfo(void* device, unsigned kind, unsigned* value) { (void)device; return give(value, kind == 1 ? 1410 : 1215); }
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* next) { (void)device; *next = 0; return give(now, 0); }
int nvmlDeviceGetMemoryBusWidth(void* device, unsigned* value) { (void)device; return give(value, 5120); }
struct pci { char old_address[16]; unsigned domain, bus, device, identity, subsystem; char address[32]; };
int nvmlDeviceGetPciInfo_v3(void* device, struct pci* into) {
  memset(into, 0, sizeof *into);
  into->bus = 0x10 + number_of(device);
  return success;
}
struct process { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; };
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, struct process* into) {
  (void)device;
  *count = 2;
  into[0] = (struct process){4711, 1ull << 30, 0, 0};
  into[1] = (struct process){4712, ~0ull, 0, 0};
  return success;
}
