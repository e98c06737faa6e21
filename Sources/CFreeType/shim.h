// FreeType rasterises the text of legends and captions, fontconfig finds the font.
#ifndef RHEO_CFREETYPE_SHIM_H
#define RHEO_CFREETYPE_SHIM_H

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#endif
