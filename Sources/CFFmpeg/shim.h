// What Swift cannot see of FFmpeg by itself: macros as constants, and the few places where the API
// differs between FFmpeg 5.1 and 7, so that nothing deprecated is called in either.
#ifndef RHEO_CFFMPEG_SHIM_H
#define RHEO_CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/cpu.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <string.h>

#ifdef __linux__
/// syncfs(2), which the C library declares for GNU programs only.
extern int syncfs(int);
static inline int rheo_syncfs(int descriptor) { return syncfs(descriptor); }
/// renameat2(2) with RENAME_EXCHANGE: two names change places at once.
extern int renameat2(int, const char *, int, const char *, unsigned int);
static inline int rheo_exchange(const char *one, const char *other) { return renameat2(-100, one, -100, other, 2); }
/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST where something has the name.
static inline int rheo_rename_to_new(const char *path, const char *name) {
  return renameat2(-100, path, -100, name, 1);
}
#endif

static const int RHEO_ERROR_EOF = AVERROR_EOF;
static const int RHEO_ERROR_AGAIN = AVERROR(EAGAIN);
static const int RHEO_ERROR_INVALID_DATA = AVERROR_INVALIDDATA;
static const int RHEO_ERROR_EXIT = AVERROR_EXIT;
static const int RHEO_ERROR_NO_MEMORY = AVERROR(ENOMEM);
static const int64_t RHEO_NO_TIME = AV_NOPTS_VALUE;

static inline int64_t rheo_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return frame->duration;
#else
  return frame->pkt_duration;
#endif
}

static inline void rheo_frame_set_duration(AVFrame *frame, int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  frame->duration = duration;
#else
  frame->pkt_duration = duration;
#endif
}

static inline int rheo_frame_is_interlaced(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
  return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame->interlaced_frame;
#endif
}

static inline int rheo_frame_is_top_field_first(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
  return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
  return frame->top_field_first;
#endif
}

/// The 3×3 display matrix of a stream (nine 16.16 and 2.30 fixed-point numbers), or NULL.
static inline const int32_t *rheo_stream_display_matrix(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  const AVPacketSideData *data = av_packet_side_data_get(
      stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
  size_t size = 0;
  const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

/// Gives a stream a display matrix that is to be filled, 36 bytes; NULL when there is no memory.
static inline uint8_t *rheo_stream_new_display_matrix(AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  AVPacketSideData *data = av_packet_side_data_new(
      &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX,
      9 * sizeof(int32_t), 0);
  return data ? data->data : NULL;
#else
  return av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t));
#endif
}

/// Gives a stream what another one has besides its codec's parameters: display matrix, mastering display and the like.
static inline int rheo_copy_stream_side_data(AVStream *target, const AVStream *source) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  // There it is a part of the parameters.
  return 0;
#else
  int i;
  for (i = 0; i < source->nb_side_data; i++) {
    const AVPacketSideData *data = &source->side_data[i];
    uint8_t *copy = av_stream_new_side_data(target, data->type, data->size);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, data->data, data->size);
  }
  return 0;
#endif
}

/// The 3×3 display matrix of a decoded frame, as JPEG images have it from EXIF's orientation, or NULL.
static inline const int32_t *rheo_frame_display_matrix(const AVFrame *frame) {
  const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
}

/// The pixel formats that an encoder takes, ended by AV_PIX_FMT_NONE, or NULL when it does not say.
static inline const enum AVPixelFormat *rheo_codec_pixel_formats(const AVCodec *codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *formats = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, &count) < 0) return NULL;
  return (const enum AVPixelFormat *)formats;
#else
  return codec->pix_fmts;
#endif
}

/// The sample formats that an encoder takes, ended by AV_SAMPLE_FMT_NONE, or NULL when it does not say.
static inline const enum AVSampleFormat *rheo_codec_sample_formats(const AVCodec *codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *formats = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_SAMPLE_FORMAT, 0, &formats, &count) < 0) return NULL;
  return (const enum AVSampleFormat *)formats;
#else
  return codec->sample_fmts;
#endif
}

/// The sample rates that an encoder takes, ended by 0, or NULL when it does not say.
static inline const int *rheo_codec_sample_rates(const AVCodec *codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *rates = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_SAMPLE_RATE, 0, &rates, &count) < 0) return NULL;
  return (const int *)rates;
#else
  return codec->supported_samplerates;
#endif
}

/// Returns whether a buffer source takes the colour matrix and range of its frames as options (FFmpeg 7 does).
static inline int rheo_buffer_source_has_color(void) { return LIBAVFILTER_VERSION_MAJOR >= 10; }

/// Appends a chapter to a file that is to be written.
static inline int rheo_add_chapter(AVFormatContext *output, const AVChapter *source) {
  AVChapter **list = (AVChapter **)av_realloc_array(output->chapters, output->nb_chapters + 1, sizeof(*list));
  AVChapter *chapter;
  if (!list) return AVERROR(ENOMEM);
  output->chapters = list;
  chapter = (AVChapter *)av_mallocz(sizeof(*chapter));
  if (!chapter) return AVERROR(ENOMEM);
  chapter->id = source->id;
  chapter->time_base = source->time_base;
  chapter->start = source->start;
  chapter->end = source->end;
  list[output->nb_chapters++] = chapter;
  return av_dict_copy(&chapter->metadata, source->metadata, 0);
}

#endif
