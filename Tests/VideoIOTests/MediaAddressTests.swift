import Testing

@testable import VideoIO

@Suite struct MediaAddressTests {
  @Test(arguments: [
    (
      "rtsp://admin:hunter2@cam.lan:554/live?channel=1&token=hunter2#a",
      "rtsp://***@cam.lan:554/live?channel=1&token=***"
    ),
    ("http://h/a?access_token=hunter2&x=1", "http://h/a?access_token=***&x=1"),
    ("http://h/a?x=1&PASSWORD=hun/ter;2#hunter2", "http://h/a?x=1&PASSWORD=***"),
    (
      "https://h/a.m3u8?Signature=x~y&Key-Pair-Id=k&Expires=9",
      "https://h/a.m3u8?Signature=***&Key-Pair-Id=***&Expires=9"
    ),
    ("http://h/a?%74oken=hunter2", "http://h/a?%74oken=***"), ("http://h/?pw=hunter2&pwm=3", "http://h/?pw=***&pwm=3"),
    (
      "rtsp://10.0.0.9:554/user=admin&password=hunter2&channel=1",
      "rtsp://10.0.0.9:554/user=admin&password=***&channel=1"
    ),
    ("rtsp://h/user=admin_password=hunter2_channel=1", "rtsp://h/user=admin_password=***"),
    ("rtsp://admin:hun#ter2@cam/live", "rtsp://***@cam/live"),
    ("rtsp://admin:hun/ter2@cam/live", "rtsp://***@cam/live"),
    ("rtsp://admin:hun@ter2@cam/live", "rtsp://***@cam/live"),
    ("srt://h:9000?passphrase=hunter2", "srt://h:9000?passphrase=***"),
    ("srt://h:9000?streamid=#!::u=a,s=hunter2", "srt://h:9000?streamid=***"),
    ("http://u:p@ss/hunter2@h/a", "http://***@h/a"), ("http://h/a?code=hunter2&p=hunter2", "http://h/a?code=***&p=***"),
    ("cache:http://a:hunter2@h/x", "cache:http://***@h/x"), ("http://http://a:hunter2@h/", "http://http://***@h/"),
    ("http://h/proxy?url=rtsp://a:hunter2@cam/1&key=hunter2", "http://h/proxy?url=rtsp://***@cam/1&key=***"),
    ("file:///tmp/password=hunter2/a.mp4", "file:///tmp/password=***/a.mp4"),
  ])
  func secretsOfAnAddressAreNotPrinted(address: String, shown: String) {
    #expect("\(MediaAddress(address))" == shown)
    #expect(MediaAddress(address).full == address)
    #expect(MediaAddress.masking(in: "[tcp] '\(address)' failed: a=b").contains("hunter2") == false)
  }

  @Test(arguments: [
    "-", "a b.mp4", "yard?token=1.mp4", "user@host.mp4", "/dev/video0", "http://h:8080/a/b.m3u8?channel=1",
    "udp://239.0.0.1:1234", "rtsp://cam/@1/live", "",
  ])
  func whatHoldsNoSecretStays(address: String) { #expect("\(MediaAddress(address))" == address) }

  @Test func anErrorHoldsNoSecret() {
    let error = MediaError(
      .cannotOpen, "no rtsp://a:hunter2@h/1 here", file: "rtsp://a:hunter2@h/1", detail: "x http://h/?key=hunter2 y")
    #expect("\(error)" == "rtsp://***@h/1: no rtsp://***@h/1 here (x http://h/?key=*** y)")
  }
}
