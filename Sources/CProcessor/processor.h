// Which of the x86-64 micro-architecture levels this processor (and its operating system) supports.
// Header only: the compiler's own CPUID support does the reading.
#ifndef RHEO_PROCESSOR_H
#define RHEO_PROCESSOR_H

/// The highest supported level of the x86-64 psABI among 1 (baseline), 3 (AVX2 class) and 4 (AVX-512 class);
/// 1 on every other architecture.
static inline int rheo_processor_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt")))
    return 1;
  if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")))
    return 3;
  return 4;
#else
  return 1;
#endif
}

#endif
