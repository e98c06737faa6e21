import ArgumentParser
import Rheo

@main
struct RheoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "rheo", abstract: "Optical flow for video.")
}
