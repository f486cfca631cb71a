package org.example

import scala.util.Try

/** A shape. */
@deprecated("no")
abstract class Shape[T](val size: Int) extends Base with Drawable {
  private val items = List.empty[T]

  def this(text: String) = {
    this(text.toInt)
  }

  // The area.
  def area: Double

  @tailrec
  final def loop(n: Int): Int = {
    def inner(x: Int): Int = x + 1
    if (n == 0) 0 else loop(inner(n - 2))
  }

  def +(other: Shape[T]): Shape[T] = this

  val double = (x: Int) => x * 2
  lazy val cached = items.map { x =>
    x
  }
}

object Shape {
  def apply(size: Int): Shape[Int] = new Shape[Int](size) {
    def area: Double = 1.0
  }

  implicit class Rich(val text: String) {
    def shout: String = text.toUpperCase
  }
}

/** Draws. */
sealed trait Drawable {
  def draw(): Unit
}

case class Point(x: Int, y: Int)
case object Origin extends Drawable {
  def draw(): Unit = ()
}

enum Color(val code: Int) {
  case Red extends Color(1)
  case Green extends Color(2)

  def label: String = toString
}

given ordering: Ordering[Point] with {
  def compare(a: Point, b: Point): Int = 0
}

given Conversion[Int, Point] = x => Point(x, x)

extension (text: String) {
  def twice: String = text + text
}

package object helpers {
  def help(): Unit = ()
}

def topLevel(x: Int): Int =
  x * 2
