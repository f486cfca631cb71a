import Foundation

/// A shape.
@objc
public class Shape<T>: Base, Drawable {
    private var items: [T] = []

    init(size: Int) {
        self.size = size
    }

    required convenience init?(text: String) {
        return nil
    }

    deinit {
        print("gone")
    }

    /// The area.
    @discardableResult
    func area(of scale: Double) -> Double {
        func inner(_ x: Int) -> Int {
            return x
        }
        items.forEach { item in
            print(item)
        }
        return 0
    }

    var width: Int {
        return 1
    }

    var height: Int {
        get { return 1 }
        set { print(newValue) }
    }

    var observed: Int = 0 {
        didSet { print(oldValue) }
    }

    static func == (a: Shape, b: Shape) -> Bool {
        return true
    }

    subscript(index: Int) -> T {
        return items[index]
    }

    class func make() -> Shape { Shape(size: 1) }
}

struct Point {
    var x = 0
    mutating func move() { x += 1 }
    struct Inner {}
}

/** What can be drawn. */
protocol Drawable: AnyObject {
    var color: String { get }
    func draw()
}

enum Color: String {
    case red
    indirect case mixed(Color)

    func label() -> String { rawValue }
}

extension Shape: CustomStringConvertible where T: Equatable {
    // Describes it.
    var description: String { "shape" }

    func describe() {}
}

extension Array.Index {
    func next() {}
}

actor Bank {
    func pay() async throws {}
}

@MainActor
public func topLevel<T>(_ value: T, done: @escaping () -> Void) rethrows -> T {
    return value
}

let handler: (Int) -> Int = { value in
    value * 2
}

typealias Name = String
