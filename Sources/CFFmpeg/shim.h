#ifndef RHEO_CFFMPEG_SHIM_H
#define RHEO_CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
#endif
