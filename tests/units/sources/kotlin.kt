package org.example

import kotlin.math.sqrt

/** A shape. */
@Serializable
sealed class Shape<T>(val size: Int) : Base(), Drawable {
    private val items = mutableListOf<T>()

    constructor(text: String) : this(text.toInt()) {
        println(text)
    }

    init {
        require(size > 0)
    }

    // The area.
    @JvmName("area")
    abstract fun area(): Double

    val width: Int
        get() = size * 2

    var height: Int = 0
        get() {
            return field
        }
        set(value) {
            field = value
        }

    val lazyValue by lazy { 1 }

    override fun toString() = "shape"

    companion object {
        const val MAX = 10

        /** Makes one. */
        @JvmStatic
        fun create(): Shape<Int> = Circle(1)
    }

    inner class Part {
        fun use() {
            fun local(x: Int): Int {
                return x
            }
            listOf(1).map { it * 2 }
        }
    }
}

data class Point(val x: Int, val y: Int)

object Registry {
    fun find(name: String): Shape<*>? = null
}

interface Drawable {
    fun draw()
    fun erase() {
        draw()
    }
}

enum class Color(val code: Int) {
    RED(1) {
        override fun label() = "r"
    },
    GREEN(2);

    open fun label() = "x"
}

// Shouts.
fun String.shout(): String = uppercase()

fun <T> List<T>.second(): T = this[1]

suspend inline fun <reified T> fetch(url: String): T {
    return client.get(url)
}

val handler: (Int) -> Unit = { value ->
    println(value)
}

@Test
fun `returns nothing when empty`() {
}

fun interface Action {
    fun run()
}

typealias Name = String
