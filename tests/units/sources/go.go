// Package shapes draws.
package shapes

import "fmt"

// Shape is what has an area.
type Shape interface {
	Area() float64
	fmt.Stringer
}

type (
	// Point is a place.
	Point struct {
		X, Y int
	}

	// List holds points.
	List[T any] struct {
		items []T
	}
	Names map[string]string
)

type Celsius float64

// New makes a list.
// It is empty.
func New[T any](size int) *List[T] {
	return &List[T]{}
}

// Add appends an item.
func (l *List[T]) Add(item T) {
	l.items = append(l.items, item)
	grow := func() int {
		return len(l.items)
	}
	grow()
}

func (p Point) String() string { return fmt.Sprint(p.X) }

func (c Celsius) Warm() bool {
	return c > 20
}

func (Point) Origin() {}

type Option func(*Point)

var handler = func(name string) error {
	return nil
}

var (
	count  = 1
	helper = func() {}
)

//go:noinline
func external(a int) int

func main() {
	type local struct {
		a int
	}
	go func() {
		fmt.Println("x")
	}()
}
