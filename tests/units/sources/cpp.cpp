#include <vector>

namespace shapes {

class Forward;
int prototype(int a);

/// A shape.
class Shape : public Base {
public:
    Shape() : size_(0) {}
    explicit Shape(int size);
    virtual ~Shape() {}
    virtual double area() const = 0;
    // The size.
    int size() const { return size_; }
    bool operator==(const Shape &other) const { return true; }
    operator bool() const { return size_ > 0; }
    Shape(const Shape &) = delete;
    Shape &self() { return *this; }

    struct Point {
        int x, y;
    };

private:
    int size_;
};

template <typename T>
class List {
public:
    void add(const T &item) {
        items_.push_back(item);
    }
    template <typename U> U convert() const;

private:
    std::vector<T> items_;
};

/// Makes a shape.
Shape::Shape(int size) : size_(size) {
    auto grow = [this](int by) {
        size_ += by;
    };
    grow(1);
}

template <typename T>
template <typename U>
U List<T>::convert() const {
    return U();
}

enum class Color : int { Red, Green };
union Bits {
    int whole;
    float part;
};

std::ostream &operator<<(std::ostream &out, const Shape &shape) {
    return out;
}

// The greater one.
template <typename T>
const T *greater(const T *a, const T *b) {
    return a;
}

template <>
int *greater<int>(const int *a, const int *b) { return nullptr; }

namespace {
void hidden() {}
}  // namespace

}  // namespace shapes

double shapes::Shape::Point::length() const noexcept {
    return 0;
}

shapes::Shape::~Shape() = default;

bool shapes::Shape::operator!=(const Shape &other) const {
    return false;
}

typedef struct {
    int a;
} Plain;

auto square = [](int x) { return x * x; };

template <typename T>
concept Small = sizeof(T) < 4;

auto trailing(int a) -> int {
    return a;
}

extern "C" {
int exported(void) { return 1; }
}

TEST(ShapeTest, HasArea) {
    EXPECT_EQ(1, 1);
}
