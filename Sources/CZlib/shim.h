// zlib reads and writes files as gzip does (RFC 1952).
#ifndef RHEO_CZLIB_SHIM_H
#define RHEO_CZLIB_SHIM_H

#include <zlib.h>

#endif
