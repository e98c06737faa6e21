import Imaging
import Testing

@Suite struct PlaneTests {
  @Test func aCopyIsIndependentOfItsOriginal() {
    var plane = Plane<Float>(width: 5, height: 3) { x, y in Float(10 * y + x) }
    let copy = plane
    plane[4, 2] = -1
    #expect(copy[4, 2] == 24)
    #expect(plane[4, 2] == -1)
    #expect(plane != copy)
  }

  @Test func rowsAreReadAndWrittenInPlace() {
    var plane = Plane<Float>(width: 5, height: 3) { x, y in Float(10 * y + x) }
    let copy = plane
    let sum = plane.withRow(2) { row in row.indices.reduce(Float(0)) { $0 + row[$1] } }
    #expect(sum == 110)
    plane.withMutableRow(1) { row in for x in row.indices { row[x] = Float(-x) } }
    #expect(plane == Plane(width: 5, height: 3) { x, y in y == 1 ? Float(-x) : Float(10 * y + x) })
    #expect(copy[3, 1] == 13, "the other plane keeps its row")
  }

  @Test func rowsAreAlignedAndPadded() {
    for width in 1...67 {
      let plane = Plane<Float>(width: width, height: 2)
      #expect(plane.stride % 64 == 0)
      #expect(plane.stride >= width * 4 + 63)
      plane.withView { #expect(UInt(bitPattern: $0.row(1)) % 64 == 0) }
    }
  }
}
