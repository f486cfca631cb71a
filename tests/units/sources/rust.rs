//! A crate.
use std::fmt;

/// A point.
#[derive(Debug, Clone)]
pub struct Point<T> {
    x: T,
    y: T,
}

pub struct Unit;
struct Pair(i32, i32);

#[repr(C)]
union Bits {
    whole: u32,
    part: f32,
}

/// What has an area.
pub trait Area {
    const SIDES: u32;
    /// The area.
    fn area(&self) -> f64;
    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

#[derive(Debug)]
pub enum Shape {
    Circle(f64),
    Square { side: f64 },
}

impl<T: Copy> Point<T> {
    /// Makes a point.
    #[inline]
    pub fn new(x: T, y: T) -> Self {
        fn check() {}
        check();
        Point { x, y }
    }
}

impl Area for Shape {
    const SIDES: u32 = 0;
    fn area(&self) -> f64 {
        let square = |side: f64| side * side;
        match self {
            Shape::Circle(r) => 3.14 * square(*r),
            Shape::Square { side } => square(*side),
        }
    }
}

impl<'a, T> fmt::Display for &'a Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "point")
    }
}

impl<T> From<T> for crate::deep::Wrapper<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/** Doubles. */
pub async unsafe fn double(value: i32) -> i32 {
    value * 2
}

/// Makes a vector.
#[macro_export]
macro_rules! list {
    ($($x:expr),*) => { vec![$($x),*] };
}

extern "C" {
    fn abs(input: i32) -> i32;
}

mod inner {
    pub fn hidden() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(double(2), 4);
    }
}
