const std = @import("std");

/// A point.
pub const Point = struct {
    x: i32,
    y: i32 = 0,

    const Self = @This();

    /// Makes one.
    pub fn init(x: i32) Self {
        return .{ .x = x };
    }

    fn length(self: *const Self) f64 {
        return 0;
    }

    pub const Inner = enum(u8) {
        a,
        b,
    };
};

const Color = enum { red, green };

const Value = union(enum) {
    int: i64,
    float: f64,

    pub fn isInt(self: Value) bool {
        return self == .int;
    }
};

const Packed = extern struct {
    a: u8,
};

// Adds.
export fn add(a: i32, b: i32) i32 {
    return a + b;
}

extern "c" fn abs(x: c_int) c_int;

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn push(self: *@This(), item: T) !void {
            _ = self;
            _ = item;
        }
    };
}

const Error = error{ OutOfMemory, Invalid };

pub inline fn quick() void {}

test "adds" {
    try std.testing.expect(add(1, 2) == 3);
}

pub fn main() !void {
    const local = struct {
        fn run() void {}
    };
    local.run();
}
