/*
 * Rheo for C, and for all languages that call C: dense optical flow, registration, motion events, tracks, flow files and
 * drawings of flow. Link with librheo.so, which needs neither Swift nor FFmpeg.
 *
 * Rules of all functions:
 *
 * - The ABI is stable: functions and fields of structures keep their meaning; new ones are added.
 * - A function that can fail returns a status, RHEO_OK or another one. With another one `error`, unless it is NULL, points
 *   to one line of text in UTF-8 that says what was wrong and what is allowed; free it with rheo_free. Nothing is written
 *   to standard output or standard error, and nothing ends the process but a lack of memory.
 * - An object that a function makes is freed by the function whose name ends in _free.
 * - Options are a JSON object as text: names, then values. NULL and "" stand for the defaults. Unknown names are refused.
 *   "threads" is the number of threads to use, 0 (the default) for all cores; it changes no result.
 * - Results that are text are JSON in UTF-8; free them with rheo_free.
 * - An object is used by one thread at a time; different objects by as many threads as one likes.
 * - Flow: u points right, v points down, in pixels. Forward flow lies on the grid of `previous`: previous(x, y) shows what
 *   current(x + u, y + v) shows. In memory vectors are pairs of 32-bit floats, row by row from the top, without gaps:
 *   width * height * 2 numbers. An unknown vector is NaN in both components.
 * - Transforms are nine numbers, row by row. Pixel centres are at whole numbers, the origin is the middle of the top left
 *   pixel, y points down.
 */
#ifndef RHEO_H
#define RHEO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses. */
#define RHEO_OK 0          /* done */
#define RHEO_INVALID 1     /* an argument or option is out of range; the message names it */
#define RHEO_FILE 2        /* a file cannot be read or written, or is damaged */
#define RHEO_EXISTS 3      /* the output is there already */
#define RHEO_UNSUPPORTED 4 /* this build or this machine cannot: a kind of file, a font */

/* Kinds of samples. */
#define RHEO_UINT8 1   /* 0 to 255 */
#define RHEO_UINT16 2  /* 0 to 65535 */
#define RHEO_FLOAT32 3 /* grey levels, 0 to 255; -255 to 510 is allowed for what filters overshoot */

/* Orders of channels. */
#define RHEO_GRAY 1
#define RHEO_RGB 2
#define RHEO_BGR 3

/*
 * Pixels in memory that belongs to the caller, which is read and never kept. Strides are in bytes and may be negative;
 * samples of 16 bits and floats lie on addresses that their size divides.
 */
typedef struct rheo_image {
  const void *data;       /* the first sample of the pixel at the top left */
  int64_t width;          /* in pixels */
  int64_t height;         /* in pixels */
  int64_t row_stride;     /* from a row to the one below */
  int64_t pixel_stride;   /* from a pixel to the one on the right */
  int64_t channel_stride; /* from a channel to the next one; not looked at for RHEO_GRAY */
  int32_t samples;        /* RHEO_UINT8, RHEO_UINT16 or RHEO_FLOAT32 */
  int32_t channels;       /* RHEO_GRAY, RHEO_RGB or RHEO_BGR */
} rheo_image;

/* The version, "major.minor.patch". Not to be freed. */
const char *rheo_version(void);
/* The instruction set of the kernels in use: "baseline", "v3" or "v4". Not to be freed. */
const char *rheo_processor(void);
/* Frees what a function returned: text, or vectors. NULL is allowed. */
void rheo_free(void *memory);

/* ---- Flow ---- */

/*
 * Where an estimate goes, in the caller's memory: width * height elements, those of the flows pairs. NULL: not wanted.
 */
typedef struct rheo_flow_output {
  float *flow;        /* forward flow, or backward flow with "direction": "backward" */
  float *backward;    /* with "direction": "both": the flow from current to previous, on the grid of current */
  float *confidence;  /* 0 to 1; with "direction": "both" or "confidence": true */
  uint8_t *occlusion; /* 1 where the backward flow contradicts, else 0; with "direction": "both" */
} rheo_flow_output;

/* Estimates flow; keeps memory from one pair to the next. */
typedef struct rheo_flow rheo_flow;

/*
 * Options: "algorithm": "dis", "farneback" or "lucas-kanade"; "accuracy": "low", "medium", "high" or "very-high";
 * "parameters": "key=value:key=value", as of the rheo program; "direction": "forward", "backward" or "both";
 * "confidence": whether the confidence is measured without a backward flow, too; "maxDimension": the longest side, in
 * pixels, at which the engine works; "region": [x, y, width, height] in fractions of the image, outside it the flow is
 * unknown; "warmStart": in a sequence, whether the search starts from the last flow; "threads".
 */
int32_t rheo_flow_create(const char *options, rheo_flow **flow, char **error);
/* Estimates the flow between two images of one size. Frames of a sequence before are forgotten. */
int32_t rheo_flow_estimate(
    rheo_flow *flow, const rheo_image *previous, const rheo_image *current, const rheo_flow_output *output, char **error);
/*
 * Takes the next frame of a sequence and estimates the flow from the frame before, as rheo_flow_estimate does, but
 * computes nothing twice. `has_flow` becomes 1, or 0 for the first frame, for which nothing is written.
 */
int32_t rheo_flow_append(
    rheo_flow *flow, const rheo_image *frame, const rheo_flow_output *output, int32_t *has_flow, char **error);
/* Forgets the frames so far. */
void rheo_flow_reset(rheo_flow *flow);
void rheo_flow_free(rheo_flow *flow);

/*
 * Reads a flow file. Options: "format": "flo", "kitti", "pfm", "npy", "flo5" or "pictures", by default what the ending
 * says; "field": which field of a .npy with several, from 0, else 0; "bound": what the levels of a pair of images stand for.
 * `vectors` becomes width * height pairs; free them with rheo_free.
 */
int32_t rheo_flow_read(
    const char *path, const char *options, int64_t *width, int64_t *height, float **vectors, char **error);
/*
 * Writes a flow file, which appears under its name only when it is complete. Options: "format"; "half": whether .npy has
 * 16-bit floats; "bound"; "overwrite": whether an existing file is replaced. The report, unless it is NULL, becomes
 * {"clamped": vectors that did not fit, "lost": unknown vectors written as zero, "files": […]}.
 */
int32_t rheo_flow_write(
    const char *path, const float *vectors, int64_t width, int64_t height, const char *options, char **report,
    char **error);
/*
 * Measures how far a field is from the truth; the keys of `figures` are those of `rheo evaluate --json`. `mask`, unless
 * it is NULL, is width * height bytes: pixels of 0 do not count.
 */
int32_t rheo_flow_evaluate(
    const float *estimate, const float *truth, const uint8_t *mask, int64_t width, int64_t height, char **figures,
    char **error);

/* ---- Registration ---- */

/*
 * Finds how `floating` lies on `reference`; their sizes may differ. Options: "model": "translation", "euclidean",
 * "affine" or "homography"; "method": "automatic", "direct" or "features"; "threads". The result has the keys of
 * `rheo register`: warpTransform (pixels of the floating image to pixels of the reference), model, inliers, residual,
 * confidence, reason, alternatives (other motions of large parts, each with warpTransform, model and share).
 */
int32_t rheo_register(
    const rheo_image *reference, const rheo_image *floating, const char *options, char **result, char **error);
/*
 * Warps an image of 8 or 16 bits: the pixel p of `output` shows what the pixel transform(p) of the image showed, by
 * bicubic interpolation. The transform has an inverse. `output` has the image's size, samples and channels (in its order),
 * without gaps. Options: "border": "black" or "replicate", what is seen beyond the borders; "interpolation": "bicubic" or
 * "bilinear"; "threads".
 */
int32_t rheo_warp(
    const rheo_image *image, const double transform[9], const char *options, void *output, char **error);

/* ---- Drawing ---- */

/* Draws flow as images with 8-bit red, green and blue. */
typedef struct rheo_renderer rheo_renderer;

/*
 * Options, with the meaning that they have for `rheo render`: "style": "overlay", "flowview", "wheel", "arrows",
 * "magnitude", "confidence" or "side-by-side"; "opacity"; "cell"; "tipAngle"; "minLength"; "maxLength": pixels or "auto";
 * "normalize": "stream", "frame" or "fixed"; "legend"; "threads". `width` and `height` are those of the flow.
 */
int32_t rheo_renderer_create(
    int64_t width, int64_t height, const char *options, rheo_renderer **renderer, char **error);
/* The size of the drawings: that of the flow, or twice as wide with the style "side-by-side". */
void rheo_renderer_size(const rheo_renderer *renderer, int64_t *width, int64_t *height);
/*
 * Draws a field into `rgb`, three bytes a pixel without gaps. `confidence` (width * height numbers) and `background` (an
 * image of 8 bits of the flow's size) may be NULL.
 */
int32_t rheo_renderer_draw(
    rheo_renderer *renderer, const float *vectors, const float *confidence, const rheo_image *background, uint8_t *rgb,
    char **error);
void rheo_renderer_free(rheo_renderer *renderer);

/* ---- Frames with times ---- */

/*
 * A time is `value` ticks of `numerator` / `denominator` seconds. The times of a sequence rise.
 */
typedef struct rheo_time {
  int64_t value;
  int32_t numerator;
  int32_t denominator;
} rheo_time;

/* Finds the events of motion that `rheo detect` finds. */
typedef struct rheo_detector rheo_detector;

/*
 * Options: "zones": a zones file's contents as an object; "compensate": "none", "translation" or "homography";
 * "threshold" (percent), "hysteresis" (more than 0, up to 1), "minimumDuration", "mergeGap", "before", "after",
 * "maximumDuration", "presenceLimit" (seconds), "lightShare" (more than 0, up to 1); "statistics": whether each frame's
 * statistics are among the updates; "threads".
 */
int32_t rheo_detector_create(
    int64_t width, int64_t height, const char *options, rheo_detector **detector, char **error);
/*
 * Takes the next frame. `updates` becomes an array of {"started": event}, {"ended": event}, {"suppressed": period} and,
 * where they were asked for, {"frame": statistics}.
 */
int32_t rheo_detector_append(
    rheo_detector *detector, const rheo_image *frame, rheo_time time, char **updates, char **error);
/*
 * Takes the next frame as video stores it: its luma, and its two colour differences Cb and Cr, 128 (of 8 bits) for grey,
 * both of the luma's size or, on each axis, a half or a quarter of it; all three RHEO_GRAY.
 */
int32_t rheo_detector_append_planes(
    rheo_detector *detector, const rheo_image *luma, const rheo_image *blue_difference,
    const rheo_image *red_difference, rheo_time time, char **updates, char **error);
/* Ends what is still going on. */
int32_t rheo_detector_finish(rheo_detector *detector, char **updates, char **error);
void rheo_detector_free(rheo_detector *detector);

/* Follows boxes and points, or finds what moves before the background of a fixed camera, as `rheo track` does. */
typedef struct rheo_tracker rheo_tracker;

/*
 * Options: "objects": whether what moves is found; "level": "fast" or "accurate", how boxes are followed; "accuracy": of
 * the flow that points, and boxes at "accurate", are followed by; "patience": seconds for which what is hidden is looked
 * for; "color": whether boxes are known by their colour, too; "threads".
 */
int32_t rheo_tracker_create(int64_t width, int64_t height, const char *options, rheo_tracker **tracker, char **error);
/* Starts to follow a box or a point in the last frame, or before the first one in that. `id` becomes its number. */
int32_t rheo_tracker_add_box(
    rheo_tracker *tracker, double x, double y, double width, double height, int64_t *id, char **error);
int32_t rheo_tracker_add_point(rheo_tracker *tracker, double x, double y, int64_t *id, char **error);
/* Takes the next frame. */
int32_t rheo_tracker_append(rheo_tracker *tracker, const rheo_image *frame, rheo_time time, char **error);
/* Ends the search: there are no more frames. */
int32_t rheo_tracker_finish(rheo_tracker *tracker, char **error);
/* All tracks so far: an array of {"id", "kind", "loss", "positions": [{"frame", "seconds", "box", "confidence"}, …]}. */
int32_t rheo_tracker_tracks(const rheo_tracker *tracker, char **tracks, char **error);
void rheo_tracker_free(rheo_tracker *tracker);

/* Evens out the camera's path, as `rheo stabilize` does in one pass. */
typedef struct rheo_stabilizer rheo_stabilizer;

/*
 * Options: "model": "translation", "euclidean", "affine" or "homography"; "smoothing": the window in seconds; "zoom": a
 * factor from 1 to 4, within which corrections stay; "crop": whether they do; "tripod": whether the view of the first
 * frame is held; "threads".
 */
int32_t rheo_stabilizer_create(
    int64_t width, int64_t height, const char *options, rheo_stabilizer **stabilizer, char **error);
/* Takes the next frame. */
int32_t rheo_stabilizer_append(rheo_stabilizer *stabilizer, const rheo_image *frame, rheo_time time, char **error);
/* There are no more frames: all transforms are known. */
void rheo_stabilizer_finish(rheo_stabilizer *stabilizer);
/*
 * The transform of the next frame, in their order, for rheo_warp; zoom included. Returns 1, or 0 when it is not known yet.
 */
int32_t rheo_stabilizer_next(rheo_stabilizer *stabilizer, double transform[9]);
void rheo_stabilizer_free(rheo_stabilizer *stabilizer);

#ifdef __cplusplus
}
#endif

#endif
