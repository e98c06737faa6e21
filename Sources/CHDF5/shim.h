// What Swift cannot see of HDF5 by itself: macros that stand for numbers, and functions that have another name in
// every version (1.10 to 1.14).
#ifndef RHEO_CHDF5_SHIM_H
#define RHEO_CHDF5_SHIM_H

#include <hdf5.h>
#include <string.h>
// The compression in these files; libhdf5 itself needs it.
#include <zlib.h>

static inline hid_t rheo_h5_native_float(void) { return H5T_NATIVE_FLOAT; }
static inline hid_t rheo_h5_little_endian_float(void) { return H5T_IEEE_F32LE; }
static inline hid_t rheo_h5_file_access_class(void) { return H5P_FILE_ACCESS; }
static inline hid_t rheo_h5_dataset_creation_class(void) { return H5P_DATASET_CREATE; }
static inline unsigned rheo_h5_truncate(void) { return H5F_ACC_TRUNC; }
struct rheo_h5_message {
  char text[160];
};

static inline herr_t rheo_h5_keep_message(unsigned n, const H5E_error2_t *error, void *message) {
  (void)n;
  if (error->desc) strncpy(((struct rheo_h5_message *)message)->text, error->desc, 159);
  return 0;
}

/// The innermost message of the library's stack of errors.
static inline struct rheo_h5_message rheo_h5_last_message(void) {
  struct rheo_h5_message message;
  memset(&message, 0, sizeof message);
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, rheo_h5_keep_message, &message);
  return message;
}

/// No messages on standard error, and no filters loaded from shared libraries.
static inline void rheo_h5_prepare(void) {
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0);
}

#endif
