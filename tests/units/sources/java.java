package org.example.shapes;

import java.util.List;

/**
 * A shape.
 */
@Deprecated
@Named("shape")
public abstract class Shape<T extends Number> implements Drawable {
    private final List<T> points;
    static int count;

    static {
        count = 0;
    }

    public Shape(List<T> points) {
        this.points = points;
    }

    // The area.
    abstract double area();

    /** Compares by area. */
    @Override
    public int compareTo(Shape<?> other) {
        Comparator<Shape> byArea = new Comparator<>() {
            @Override
            public int compare(Shape a, Shape b) {
                return 0;
            }
        };
        Runnable task = () -> count++;
        return byArea.compare(this, other);
    }

    public static <K> K first(List<K> list) { return list.get(0); }

    enum Color {
        RED {
            @Override
            int code() {
                return 1;
            }
        },
        GREEN;

        int code() {
            return 0;
        }
    }

    static class Builder {
        Builder add(int point) {
            return this;
        }
    }
}

interface Drawable {
    void draw();

    default void erase() {
        draw();
    }
}

record Point(int x, int y) {
    Point {
        if (x < 0) throw new IllegalArgumentException();
    }

    double length() {
        return Math.sqrt(x * x + y * y);
    }
}

@interface Named {
    String value() default "";
}
