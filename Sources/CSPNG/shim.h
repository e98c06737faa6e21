// libspng (BSD-2-Clause) reads and writes PNG images. Its errors are statuses; libpng's jump out of Swift.
#ifndef RHEO_CSPNG_SHIM_H
#define RHEO_CSPNG_SHIM_H

#include <spng.h>

#endif
