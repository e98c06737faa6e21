// Test tool, Linux with glibc: malloc and its relatives, counted. Definitions in a program take the place of the C
// library's for every shared library that it loads, so FFmpeg's and HDF5's allocations count, too.
#include "probe.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long live, peak, base, largest;

static void raise_to(atomic_long *maximum, long value) {
  long seen = atomic_load_explicit(maximum, memory_order_relaxed);
  while (seen < value && !atomic_compare_exchange_weak(maximum, &seen, value)) {
  }
}

static void requested(size_t size) { raise_to(&largest, size > PTRDIFF_MAX ? PTRDIFF_MAX : (long)size); }

static void *added(void *block) {
  if (block) {
    long size = (long)malloc_usable_size(block);
    raise_to(&peak, atomic_fetch_add(&live, size) + size);
  }
  return block;
}

static void removed(void *block) {
  if (block) atomic_fetch_sub(&live, (long)malloc_usable_size(block));
}

void *malloc(size_t size) {
  requested(size);
  return added(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
  size_t total;
  requested(__builtin_mul_overflow(count, size, &total) ? SIZE_MAX : total);
  return added(__libc_calloc(count, size));
}

// While the contents move, both blocks are there.
void *realloc(void *block, size_t size) {
  long before = block ? (long)malloc_usable_size(block) : 0;
  requested(size);
  void *moved = __libc_realloc(block, size);
  if (!moved && size > 0) return NULL;
  if (moved) added(moved);
  atomic_fetch_sub(&live, before);
  return moved;
}

void free(void *block) {
  removed(block);
  __libc_free(block);
}

void *memalign(size_t alignment, size_t size) {
  requested(size);
  return added(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

void rheo_probe_begin(void) {
  long now = atomic_load(&live);
  atomic_store(&base, now);
  atomic_store(&peak, now);
  atomic_store(&largest, 0);
}

long rheo_probe_peak(void) { return atomic_load(&peak) - atomic_load(&base); }
long rheo_probe_largest(void) { return atomic_load(&largest); }
