module Shapes

using LinearAlgebra
export area

"""
    Shape

What has an area.
"""
abstract type Shape end

# A circle.
struct Circle{T<:Real} <: Shape
    radius::T
    Circle(radius) = new(radius)
    function Circle{T}(x, y) where {T}
        new{T}(x + y)
    end
end

mutable struct Counter
    value::Int
end

"Computes the area."
function area(shape::Circle)
    helper(x) = x^2
    map(shape) do item
        item
    end
    return pi * helper(shape.radius)
end

area(shape::Shape)::Float64 = 0.0

@inline function fast(x::Int)::Int
    return x
end

@inline quick(x) = x + 1

function generic(x::T, y::T) where {T<:Number}
    x + y
end

short(x::T) where {T} = x

Base.show(io::IO, c::Circle) = print(io, "circle")

function Base.:+(a::Circle, b::Circle)
    a
end

Base.:-(a::Circle) = a

+(a::Counter, b::Counter) = a

"""
Runs it twice.
"""
macro twice(expression)
    quote
        $expression
        $expression
    end
end

primitive type Word 32 end

const square = x -> x^2

function stub end

(c::Counter)(x) = c.value + x

value = area(Circle(1))
list[1] = 2

module Inner
inside() = 1
end

end
