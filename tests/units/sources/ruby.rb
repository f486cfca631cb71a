require 'set'

# A module.
module Shapes
  VERSION = '1'

  # A shape.
  # It has an area.
  class Shape < Base
    attr_reader :size

    def initialize(size)
      @size = size
    end

    # The area.
    def area = @size * 2

    def <=>(other)
      size <=> other.size
    end

    def size=(value)
      @size = value
    end

    def empty?
      [1].each do |x|
        puts x
      end
      size.zero?
    end

    def self.parse(text)
      new(text.to_i)
    end

    class << self
      # Builds one.
      def build(&block)
        new(1)
      end
    end

    private

    def secret; end

    private def hidden
      1
    end

    define_method(:dynamic) do |x|
      x
    end

    class Error < StandardError; end
  end

  class Geometry::Circle < Shape
    def area
      3
    end
  end

  def self.helper
    nil
  end
end

def top_level(a, b = 2)
  a + b
end

Point = Struct.new(:x, :y) do
  def distance
    x + y
  end
end

describe 'x' do
  it('works') { true }
end
