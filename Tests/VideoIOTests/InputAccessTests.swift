import Testing

@testable import VideoIO

@Suite struct InputAccessTests {
  private func names(_ list: String) -> Set<String> { Set(list.split(separator: ",").map(String.init)) }

  private func access(_ url: String, format: String? = nil) -> (formats: Set<String>, protocols: Set<String>) {
    let access = InputAccess(url: url, format: format, allowed: nil)
    return (names(access.formats), names(access.protocols))
  }

  @Test(arguments: ["file:/a/b.mp4", "file:/a.m3u8/b", "file:b", "http://h/a?x=.m3u8", "pipe:0", "a%03d.png"])
  func aNameThatIsNoPlaylistsAllowsNone(url: String) {
    let formats = access(url).formats
    #expect(formats.isDisjoint(with: ["hls", "concat", "dash", "sdp", "imf", "avisynth", "vapoursynth"]))
    #expect(formats.isSuperset(of: ["mov", "matroska", "mpegts", "rtsp", "rtp", "image2"]))
  }

  @Test(arguments: [
    ("file:a.M3U8", "hls"), ("https://h/live.m3u8?x=1", "hls"), ("file:a.mpd", "dash"), ("file:a.ffconcat", "concat"),
    ("file:a.sdp", "sdp"),
  ])
  func aPlaylistsNameAllowsThatKind(url: String, format: String) {
    let formats = access(url).formats
    #expect(formats.intersection(["hls", "concat", "dash", "sdp"]) == [format])
    #expect(access("file:a", format: format).formats.contains(format))
  }

  @Test(arguments: ["file:a.mp4", "file:a.m3u8", "FILE:///a.m3u8", "a%d.png"])
  func aFileOpensNoHost(url: String) { #expect(access(url).protocols == ["file", "crypto", "data"]) }

  @Test(arguments: ["http://h/a.m3u8", "tcp://h:1/a.m3u8", "rtsp://h/a", "udp://h:1", "srt://h:1?x=file:"])
  func anAddressOpensNoFile(url: String) {
    let protocols = access(url).protocols
    #expect(protocols.isDisjoint(with: ["file", "pipe", "fd", "subfile", "concat", "concatf", "unix", "cache"]))
    #expect(protocols.isSuperset(of: ["tcp", "udp", "rtp", "http", "tls"]))
  }

  @Test func whatIsAllowedReplacesTheUsual() {
    #expect(InputAccess(url: "file:a", format: nil, allowed: ["file", "http"]).protocols == "file,http")
  }
}
