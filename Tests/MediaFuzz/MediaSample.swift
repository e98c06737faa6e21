import ArgumentParser
import Foundation
import TestSupport

/// A whole video file of a second and a half, to be damaged.
struct MediaSample {
  var name: String
  var file: URL
  var bytes: Data

  /// FFmpeg's arguments for the file of each name; the ending is the container. `+texts` adds subtitles and chapters.
  private static let recipes: [(name: String, arguments: String)] = [
    ("all.mp4", "+texts -c:v libx264 -c:a aac -c:s mov_text -movflags +faststart -metadata:s:v rotate=90"),
    ("parts.mp4", "-c:v libx264 -g 4 -c:a aac -movflags frag_keyframe+empty_moov"),
    (
      "hevc.mp4",
      "-c:v libx265 -x265-params log-level=none:pools=1:frame-threads=1 -tag:v hvc1 -an -movflags +faststart"
    ),
    ("prores.mov", "-c:v prores_ks -c:a pcm_s16le -movflags +faststart -metadata:s:v rotate=270"),
    ("mjpeg.mov", "-c:v mjpeg -c:a pcm_u8 -movflags +faststart"),
    ("all.mkv", "+texts -c:v libx264 -bf 2 -c:a ac3 -c:s srt"),
    ("ffv1.mkv", "-c:v ffv1 -level 3 -g 3 -c:a flac"),
    ("vp8.webm", "-c:v libvpx -b:v 100k -c:a libvorbis"),
    ("vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 100k -c:a libopus -ar 48000"),
    ("av1.webm", "-c:v libaom-av1 -usage realtime -cpu-used 8 -b:v 100k -an"),
    ("mpeg4.avi", "-c:v mpeg4 -c:a libmp3lame -ar 44100"),
    ("raw.avi", "-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le"),
    ("huffyuv.avi", "-c:v huffyuv -an"),
    ("mpeg2.ts", "-c:v mpeg2video -g 5 -c:a mp2"),
    ("h264.ts", "-c:v libx264 -g 5 -c:a aac"),
    ("flv1.flv", "-c:v flv1 -c:a libmp3lame -ar 44100"),
    ("h264.flv", "-c:v libx264 -c:a aac"),
    ("theora.ogg", "-c:v libtheora -c:a libvorbis"),
    ("small.gif", "-an"),
    ("small.apng", "-an -plays 0"),
    ("small.webp", "-c:v libwebp_anim -an"),
    ("small.y4m", "-an -pix_fmt yuv420p"),
    ("mpeg1.mpg", "-r 25 -c:v mpeg1video -c:a mp2 -ar 44100"),
    ("wmv2.wmv", "-c:v wmv2 -c:a wmav2"),
    ("mpeg2.mxf", "-r 25 -c:v mpeg2video -pix_fmt yuv422p -c:a pcm_s16le -ar 48000"),
    ("mpeg4.nut", "-c:v mpeg4 -bf 1 -c:a pcm_s16le"),
    ("h263.3gp", "-s 176x144 -c:v h263 -an"),
    ("stream.h264", "-c:v libx264 -an"),
    ("stream.ivf", "-c:v libvpx -an"),
    ("stream.mjpeg", "-c:v mjpeg -an"),
    ("stream.dv", "-s 720x576 -r 25 -pix_fmt yuv420p -t 0.12 -c:v dvvideo -an"),
    ("tone.wav", "-vn -c:a pcm_s16le"),
    ("cover.mp3", "-frames:v 1 -c:v mjpeg -disposition:v attached_pic -c:a libmp3lame -ar 44100 -id3v2_version 3"),
    ("picture.png", "-frames:v 1 -update 1 -an"),
    ("picture.jpg", "-frames:v 1 -update 1 -an"),
    ("picture.tiff", "-frames:v 1 -update 1 -an"),
    ("picture.bmp", "-frames:v 1 -update 1 -an"),
    ("picture.exr", "-frames:v 1 -update 1 -an"),
  ]

  /// Fewer would mean that this FFmpeg is not fit for the purpose.
  private static let minimumCount = 15

  /// Makes a file of each container; those that this FFmpeg cannot make are named and left out.
  static func make(in folder: URL) throws -> [MediaSample] {
    let subtitles = folder.appendingPathComponent("words.srt")
    try Data("1\n00:00:00,100 --> 00:00:00,900\nwords\n\n2\n00:00:00,950 --> 00:00:01,200\nmore\n".utf8)
      .write(to: subtitles)
    let chapters = folder.appendingPathComponent("chapters.txt")
    try Data(
      (";FFMETADATA1\ntitle=fuzz\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=one\n"
        + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1500\ntitle=two\n").utf8
    ).write(to: chapters)
    for (name, arguments) in recipes {
      var words = arguments.split(separator: " ").map(String.init)
      var maps = ["-map", "0:v", "-map", "1:a"]
      var texts: [String] = []
      if words[0] == "+texts" {
        words.removeFirst()
        texts = ["-i", subtitles.path, "-f", "ffmetadata", "-i", chapters.path]
        maps += ["-map", "2:s", "-map_metadata", "3", "-map_chapters", "3"]
      }
      do {
        try FFmpegTools.ffmpeg(
          [
            "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1.5", "-f", "lavfi", "-i",
            "sine=300:duration=1.5",
          ]
            + texts + maps + words
            + ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact", "-threads", "1"]
            + [folder.appendingPathComponent("sample-" + name).path])
      } catch {
        print("SKIPPED: \(name): \(error)")
      }
    }
    return try load(from: folder)
  }

  /// Returns the files that ``make(in:)`` made, in the order of their recipes.
  static func load(from folder: URL) throws -> [MediaSample] {
    let samples = try recipes.compactMap { name, _ in
      let file = folder.appendingPathComponent("sample-" + name)
      guard FileManager.default.fileExists(atPath: file.path) else { return MediaSample?.none }
      return MediaSample(name: name, file: file, bytes: try Data(contentsOf: file))
    }
    guard samples.count >= minimumCount else {
      throw ValidationError("only \(samples.count) samples could be made")
    }
    return samples
  }
}
