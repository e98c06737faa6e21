// A wall clock that jumps, for one process: loaded before the C library's own, with LD_PRELOAD.
//
// Who reads the wall clock gets the true time plus the seconds (8 bytes, signed) in the file CLOCK_OFFSET_FILE. Another
// process writes them at any time. Who waits until a point of the wall clock goes on waiting after a jump back, as the
// kernel would have it. The other clocks, and the times of files, stay as they are.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t sliceNanoseconds = 10 * 1000 * 1000;
static const int64_t second = 1000 * 1000 * 1000;

static volatile int64_t *offset;
static int (*trueClock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void prepare(void) {
  static int64_t none;
  offset = &none;
  trueClock = dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

static struct timespec timespecOf(int64_t nanoseconds) {
  return (struct timespec){.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
}

static int64_t trueNow(void) {
  struct timespec now;
  trueClock(CLOCK_REALTIME, &now);
  return now.tv_sec * second + now.tv_nsec;
}

static int64_t wallNow(void) { return trueNow() + *offset * second; }

int clock_gettime(clockid_t clock, struct timespec *result) {
  if (!trueClock) prepare();
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return trueClock(clock, result);
  *result = timespecOf(wallNow());
  return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  (void)zone;
  if (!trueClock) prepare();
  int64_t now = wallNow();
  *result = (struct timeval){.tv_sec = now / second, .tv_usec = now % second / 1000};
  return 0;
}

time_t time(time_t *result) {
  if (!trueClock) prepare();
  time_t now = wallNow() / second;
  if (result) *result = now;
  return now;
}

static int64_t shorter(int64_t left) {
  return left < 0 ? 0 : left < sliceNanoseconds ? left : sliceNanoseconds;
}

// Waits in slices of the true time until the wall clock has come to the deadline.
#define WAIT_IN_SLICES(deadline, wait)                                        \
  for (int64_t end = (deadline)->tv_sec * second + (deadline)->tv_nsec;;) {   \
    struct timespec slice = timespecOf(trueNow() + shorter(end - wallNow())); \
    int status = wait;                                                        \
    if (status != ETIMEDOUT || end <= wallNow()) return status;               \
  }

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  static int (*waitByClock)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (!wait) {
    // The name alone may stand for the version of a glibc before 2.3.2.
    wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!wait) wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    waitByClock = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  }
  // One whose clock is monotonic has deadlines that are far from the wall clock's.
  if (!waitByClock || llabs(deadline->tv_sec - wallNow() / second) > 400 * 86400LL) {
    return wait(condition, mutex, deadline);
  }
  WAIT_IN_SLICES(deadline, waitByClock(condition, mutex, CLOCK_REALTIME, &slice))
}

static int semaphoreStatus(sem_t *semaphore, const struct timespec *deadline) {
  static int (*wait)(sem_t *, const struct timespec *);
  if (!wait) wait = dlsym(RTLD_NEXT, "sem_timedwait");
  WAIT_IN_SLICES(deadline, wait(semaphore, &slice) == 0 ? 0 : errno)
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  int status = semaphoreStatus(semaphore, deadline);
  if (status == 0) return 0;
  errno = status;
  return -1;
}
