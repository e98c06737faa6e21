// KISS FFT (BSD-3-Clause), single precision: the Fourier transform of phase correlation.
//
// The package manager refuses the macros among the flags that pkg-config gives; they are the header's defaults. So the
// module map names the library itself.
#ifndef RHEO_CKISSFFT_SHIM_H
#define RHEO_CKISSFFT_SHIM_H

#include <kissfft/kiss_fft.h>
#include <kissfft/kiss_fftr.h>

#endif
