// KISS FFT (BSD-3-Clause), single precision: the Fourier transform of phase correlation.
#ifndef RHEO_CKISSFFT_SHIM_H
#define RHEO_CKISSFFT_SHIM_H

#include <kiss_fftndr.h>

#endif
