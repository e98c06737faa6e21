// libFuzzer comes with the compiler and has no header for this.
#ifndef RHEO_CLIBFUZZER_SHIM_H
#define RHEO_CLIBFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

/// Calls `callback` with one input after the other; the options are those of libFuzzer's command line.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
