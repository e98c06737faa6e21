// Text for legends and captions: fontconfig finds a font, FreeType rasterises it.

import CFreeType
import Imaging

/// A monospaced font at one size, with the glyphs that were drawn so far.
///
/// Owned by one task. Frees FreeType's face and library when it goes.
final class TextFont {
  /// Pixels from the top of a line to the base line, and to the bottom.
  let ascent: Int
  let lineHeight: Int
  private let library: FT_Library
  private let face: FT_Face
  private var glyphs: [Unicode.Scalar: Glyph] = [:]

  /// The coverage of one character, 0…255, row by row, and where it goes.
  struct Glyph {
    var width = 0
    var height = 0
    /// The distance from the pen to the left column, in pixels.
    var left = 0
    /// The distance from the base line up to the top row, in pixels.
    var top = 0
    var advance = 0
    var coverage: [UInt8] = []
  }

  /// The advice to give when there is no font.
  static let advice = "install one, for example the Debian package fonts-dejavu-core"

  /// - Parameter pixelSize: Height of the em square, in pixels.
  /// - Throws: ``RenderingError`` with code `fontUnavailable`.
  convenience init(pixelSize: Int) throws {
    let found = try Self.findMonospace()
    try self.init(file: found.file, index: found.index, pixelSize: pixelSize)
  }

  init(file: String, index: Int, pixelSize: Int) throws {
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else {
      throw RenderingError(code: .fontUnavailable, message: "FreeType did not start")
    }
    var face: FT_Face?
    let status = FT_New_Face(library, file, FT_Long(index), &face)
    guard status == 0, let face, FT_Set_Pixel_Sizes(face, 0, FT_UInt(pixelSize)) == 0 else {
      FT_Done_FreeType(library)
      throw RenderingError(
        code: .fontUnavailable, message: "cannot read the font \(file) (FreeType error \(status)); \(Self.advice)")
    }
    self.library = library
    self.face = face
    let metrics = face.pointee.size.pointee.metrics
    ascent = Int(metrics.ascender + 32) >> 6
    lineHeight = ascent + Int(-metrics.descender + 32) >> 6
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
  }

  /// The file that fontconfig has for "monospace".
  private static func findMonospace() throws -> (file: String, index: Int) {
    let pattern = FcNameParse("monospace")
    defer { pattern.map { FcPatternDestroy($0) } }
    FcConfigSubstitute(nil, pattern, FcMatchPattern)
    FcDefaultSubstitute(pattern)
    var result = FcResultNoMatch
    let match = FcFontMatch(nil, pattern, &result)
    defer { match.map { FcPatternDestroy($0) } }
    var file: UnsafeMutablePointer<FcChar8>?
    var index: Int32 = 0
    guard let match, FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch, let file else {
      throw RenderingError(
        code: .fontUnavailable, message: "fontconfig knows no font for the text of legend and hud; \(advice)")
    }
    _ = FcPatternGetInteger(match, FC_INDEX, 0, &index)
    return (String(cString: file), Int(index))
  }

  /// Width of a line in pixels.
  func width(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + glyph($1).advance } }

  /// The glyphs of a line whose top left corner is (x, y), each with the pixel where its top left corner goes.
  func glyphs(of text: String, x: Int, y: Int) -> [(glyph: Glyph, left: Int, top: Int)] {
    var pen = x
    return text.unicodeScalars.map { character in
      let glyph = glyph(character)
      defer { pen += glyph.advance }
      return (glyph, pen + glyph.left, y + ascent - glyph.top)
    }
  }

  /// The glyph of a character; blank when the font cannot draw it.
  private func glyph(_ character: Unicode.Scalar) -> Glyph {
    if let known = glyphs[character] { return known }
    let glyph = rasterize(character)
    glyphs[character] = glyph
    return glyph
  }

  private func rasterize(_ character: Unicode.Scalar) -> Glyph {
    guard FT_Load_Char(face, FT_ULong(character.value), FT_Int32(FT_LOAD_RENDER)) == 0,
      let slot = face.pointee.glyph
    else { return Glyph() }
    let bitmap = slot.pointee.bitmap
    var glyph = Glyph(
      width: Int(bitmap.width), height: Int(bitmap.rows), left: Int(slot.pointee.bitmap_left),
      top: Int(slot.pointee.bitmap_top), advance: Int(slot.pointee.advance.x + 32) >> 6)
    guard let buffer = bitmap.buffer, bitmap.pixel_mode == UInt8(FT_PIXEL_MODE_GRAY.rawValue) else {
      (glyph.width, glyph.height) = (0, 0)
      return glyph
    }
    for y in 0..<glyph.height {
      let row = buffer + y * Int(bitmap.pitch)
      glyph.coverage.append(contentsOf: UnsafeBufferPointer(start: row, count: glyph.width))
    }
    return glyph
  }
}
