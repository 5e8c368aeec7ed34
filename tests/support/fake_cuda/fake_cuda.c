/* A FAKE of the CUDA driver (libcuda.so.1) for tests: it looks at no GPU. Two devices with the attributes of an A100 of 40 GB.
 *
 *   FAKE_CUDA_GPUS     how many there are (default 2)
 *   FAKE_CUDA_TROUBLE  "init": it does not start; "hang": it never answers; "mig": the first device is a MIG instance of the first GPU
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { success = 0, invalid = 1, no_device = 100 };

static int trouble(const char* kind) {
  const char* set = getenv("FAKE_CUDA_TROUBLE");
  return set != NULL && strcmp(set, kind) == 0;
}

int cuInit(unsigned flags) {
  (void)flags;
  if (trouble("hang")) sleep(1000);
  return trouble("init") ? no_device : success;
}
int cuGetErrorName(int code, const char** name) {
  *name = code == no_device ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
int cuDeviceGetCount(int* count) {
  const char* set = getenv("FAKE_CUDA_GPUS");
  *count = set == NULL ? 2 : atoi(set);
  return success;
}
int cuDeviceGet(int* device, int index) { *device = index; return success; }
int cuDeviceGetName(char* text, int size, int device) {
  const int is_part = trouble("mig") && device == 0;
  return snprintf(text, (size_t)size, is_part ? "NVIDIA A100-SXM4-40GB MIG 1g.5gb" : "NVIDIA A100-PG509-200") > 0 ? success : invalid;
}
int cuDeviceGetUuid_v2(unsigned char* bytes, int device) {
  memset(bytes, 0, 16);
  bytes[15] = (unsigned char)(trouble("mig") && device == 0 ? 0x77 : device);
  return success;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = trouble("mig") && device == 0 ? (size_t)5 << 30 : (size_t)42298834944;
  return success;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  switch (which) {
    case 13: *value = 1410000; return success;   /* clock, kHz */
    case 16: *value = trouble("mig") && device == 0 ? 14 : 108; return success; /* SMs */
    case 33: *value = 0x10 + device; return success; /* PCI bus */
    case 34: case 50: *value = 0; return success;
    case 36: *value = 1215000; return success;   /* memory clock, kHz */
    case 37: *value = 5120; return success;      /* bits of the bus */
    case 38: *value = 41943040; return success;  /* L2 */
    case 39: *value = 2048; return success;
    case 75: *value = 8; return success;
    case 76: *value = 0; return success;
    case 81: *value = 167936; return success;
    case 82: *value = 65536; return success;
    case 97: *value = 166912; return success;
  }
  return invalid;
}
