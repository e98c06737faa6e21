// Counts what the process allocates: the program that links this has its own malloc, which asks glibc's.
#ifndef RHEO_ALLOCATION_PROBE_H
#define RHEO_ALLOCATION_PROBE_H

/// Begins a measurement on what is in use now.
void rheo_probe_begin(void);
/// The most bytes in use at once since then, beyond what was in use then.
long rheo_probe_peak(void);
/// The largest single request since then, granted or not.
long rheo_probe_largest(void);

#endif
