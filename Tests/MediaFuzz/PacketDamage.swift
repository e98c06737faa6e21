import CFFmpeg
import Foundation
import TestSupport

/// Writes the packets of a sample into a new file, with other times, sizes, contents, side data and order.
enum PacketDamage {
  private static let times: [Int64] = [
    RHEO_NO_TIME, -1, 0, 1, 1 << 31, -(1 << 31), 1 << 33, 1 << 40, 1 << 53, 1 << 62, -(1 << 62), .max, .min + 1,
  ]

  /// - Returns: False when this container takes none of the packets: then there may be no file.
  @discardableResult
  static func remux(_ source: URL, to target: URL, _ random: inout FixedRandom) throws -> Bool {
    var opened: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_open_input(&opened, source.path, nil, nil) >= 0, let input = opened else { return false }
    defer { avformat_close_input(&opened) }
    guard avformat_find_stream_info(input, nil) >= 0 else { return false }
    var made: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&made, nil, nil, target.path) >= 0, let output = made else { return false }
    defer { avformat_free_context(output) }
    output.pointee.avoid_negative_ts = Int32.random(in: -1...2, using: &random)
    for index in 0..<Int(input.pointee.nb_streams) {
      guard let from = input.pointee.streams[index], let to = avformat_new_stream(output, nil) else { return false }
      avcodec_parameters_copy(to.pointee.codecpar, from.pointee.codecpar)
      to.pointee.codecpar.pointee.codec_tag = 0
      to.pointee.time_base = from.pointee.time_base
      _ = rheo_copy_stream_side_data(to, from)
      if Int.random(in: 0..<3, using: &random) == 0 { damage(to, &random) }
    }
    for index in 0..<Int(input.pointee.nb_chapters) {
      guard let chapter = input.pointee.chapters[index] else { continue }
      if Int.random(in: 0..<3, using: &random) == 0 {
        chapter.pointee.start = time(&random)
        chapter.pointee.end = time(&random)
      }
      _ = rheo_add_chapter(output, chapter)
    }
    guard avio_open(&output.pointee.pb, target.path, AVIO_FLAG_WRITE) >= 0 else { return false }
    defer { avio_closep(&output.pointee.pb) }
    guard avformat_write_header(output, nil) >= 0 else { return false }
    var packets = packets(of: input)
    defer { for packet in packets { var gone: UnsafeMutablePointer<AVPacket>? = packet; av_packet_free(&gone) } }
    shuffle(&packets, &random)
    let share = Int.random(in: 1...12, using: &random)
    let shift = Int.random(in: 0..<4, using: &random) == 0 ? time(&random) : 0
    for packet in packets {
      guard let copy = av_packet_clone(packet) else { continue }
      var owned: UnsafeMutablePointer<AVPacket>? = copy
      defer { av_packet_free(&owned) }
      let stream = Int(copy.pointee.stream_index)
      if copy.pointee.pts != RHEO_NO_TIME { copy.pointee.pts &+= shift }
      if copy.pointee.dts != RHEO_NO_TIME { copy.pointee.dts &+= shift }
      if Int.random(in: 0..<share, using: &random) == 0 { damage(copy, &random) }
      guard let from = input.pointee.streams[stream], let to = output.pointee.streams[stream] else { continue }
      if abs(Double(copy.pointee.pts)) < 1e15, abs(Double(copy.pointee.dts)) < 1e15 {
        av_packet_rescale_ts(copy, from.pointee.time_base, to.pointee.time_base)
      }
      // Refused packets are as good as dropped ones.
      _ = av_write_frame(output, copy)
    }
    return av_write_trailer(output) >= 0
  }

  private static func packets(
    of input: UnsafeMutablePointer<AVFormatContext>
  ) -> [UnsafeMutablePointer<AVPacket>] {
    var packets: [UnsafeMutablePointer<AVPacket>] = []
    while let packet = av_packet_alloc() {
      guard av_read_frame(input, packet) >= 0 else {
        var unused: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&unused)
        break
      }
      packets.append(packet)
    }
    return packets
  }

  /// Drops, doubles and exchanges packets.
  private static func shuffle(_ packets: inout [UnsafeMutablePointer<AVPacket>], _ random: inout FixedRandom) {
    for _ in 0..<Int.random(in: 0...4, using: &random) where packets.count > 2 {
      let index = Int.random(in: 0..<packets.count - 1, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        var gone: UnsafeMutablePointer<AVPacket>? = packets.remove(at: index)
        av_packet_free(&gone)
      case 1: if let copy = av_packet_clone(packets[index]) { packets.insert(copy, at: index) }
      case 2: packets.swapAt(index, index + 1)
      default: packets.swapAt(index, Int.random(in: 0..<packets.count, using: &random))
      }
    }
  }

  private static func time(_ random: inout FixedRandom) -> Int64 {
    let value = times.randomElement(using: &random) ?? 0
    return Bool.random(using: &random) ? value : value &+ Int64.random(in: -1000...1000, using: &random)
  }

  private static func damage(_ packet: UnsafeMutablePointer<AVPacket>, _ random: inout FixedRandom) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: packet.pointee.pts = time(&random)
    case 1: packet.pointee.dts = time(&random)
    case 2:
      packet.pointee.pts = time(&random)
      packet.pointee.dts = packet.pointee.pts
    case 3: packet.pointee.duration = time(&random)
    case 4: packet.pointee.pts &+= Int64.random(in: -5000...5000, using: &random)
    case 5: packet.pointee.flags ^= Int32.random(in: 0...31, using: &random)
    case 6: av_shrink_packet(packet, Int32.random(in: 0...max(0, packet.pointee.size), using: &random))
    case 7:
      guard av_packet_make_writable(packet) >= 0, packet.pointee.size > 0 else { return }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        packet.pointee.data[Int.random(in: 0..<Int(packet.pointee.size), using: &random)] = .random(
          in: 0...255, using: &random)
      }
    default:
      let kinds = [
        AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE, AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_PALETTE,
        AV_PKT_DATA_SKIP_SAMPLES,
      ]
      let size = [0, 1, 4, 10, 36, 256, 1024].randomElement(using: &random) ?? 4
      guard let kind = kinds.randomElement(using: &random), let data = av_packet_new_side_data(packet, kind, size)
      else { return }
      for index in 0..<size { data[index] = .random(in: 0...255, using: &random) }
    }
  }

  private static func damage(_ stream: UnsafeMutablePointer<AVStream>, _ random: inout FixedRandom) {
    let parameters = stream.pointee.codecpar!
    switch Int.random(in: 0..<6, using: &random) {
    case 0: parameters.pointee.width = [1, 2, 63, 65, 4096].randomElement(using: &random) ?? 1
    case 1: parameters.pointee.height = [1, 2, 47, 49, 4096].randomElement(using: &random) ?? 1
    case 2:
      for index in 0..<Int(parameters.pointee.extradata_size) where Int.random(in: 0..<8, using: &random) == 0 {
        parameters.pointee.extradata[index] = .random(in: 0...255, using: &random)
      }
    case 3:
      let bases: [(Int32, Int32)] = [(1, 1), (1, .max), (.max, 1), (1, 90_000), (1001, 30_000), (7, 3)]
      let base = bases.randomElement(using: &random) ?? (1, 1)
      stream.pointee.time_base = AVRational(num: base.0, den: base.1)
    case 4:
      parameters.pointee.sample_aspect_ratio = AVRational(
        num: .random(in: 0 ... .max, using: &random), den: .random(in: 0 ... .max, using: &random))
    default:
      guard let data = rheo_stream_new_display_matrix(stream) else { return }
      for index in 0..<36 { data[index] = .random(in: 0...255, using: &random) }
    }
  }
}
