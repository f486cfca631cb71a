<?php

namespace App\Shapes;

use Countable;

/**
 * What can be drawn.
 */
interface Drawable
{
    public function draw(): void;
}

/** Logs. */
trait Logs
{
    protected function log(string $message): void
    {
        echo $message;
    }
}

#[Attribute]
#[Deprecated('no')]
abstract class Shape implements Drawable, Countable
{
    use Logs;

    private int $size = 0;

    public function __construct(private string $name)
    {
        $this->size = 1;
    }

    // The area.
    abstract public function area(): float;

    /**
     * Counts.
     */
    #[Override]
    public static function &count(): int
    {
        $double = function ($x) {
            return $x * 2;
        };
        $triple = fn($x) => $x * 3;
        return array_map(function ($y) { return $y; }, [1]);
    }
}

final readonly class Circle extends Shape
{
    public function area(): float { return 3.14; }
}

enum Color: string
{
    case Red = 'r';

    public static function first(): self
    {
        return self::Red;
    }
}

// Adds.
function add(int $a, int $b): int
{
    function inner() {}
    return $a + $b;
}

if (!function_exists('later')) {
    function later() {
        return new class extends Circle {
            public function area(): float { return 0.0; }
        };
    }
}
?>
<p>Text</p>
