using System;

namespace Example.Shapes
{
    /// <summary>A shape.</summary>
    [Serializable]
    public abstract class Shape<T> : IDrawable
    {
        private int size;
        public event EventHandler Changed;
        public string Name { get; set; }

        public Shape(int size)
        {
            this.size = size;
        }

        ~Shape()
        {
            Dispose();
        }

        public abstract double Area();

        /// <summary>The size.</summary>
        public int Size
        {
            get { return size; }
            set { size = value; }
        }

        public int Double => size * 2;

        [Obsolete("no")]
        [MethodImpl(MethodImplOptions.NoInlining)]
        public async Task<int> RunAsync<K>(K key)
        {
            int Local(int a)
            {
                return a + 1;
            }
            Func<int, int> square = x => x * x;
            return Local(square(2));
        }

        public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;

        public static implicit operator int(Shape<T> shape) => shape.size;

        public int this[int index]
        {
            get { return index; }
        }

        void IDrawable.Draw()
        {
        }

        public delegate void Handler(object sender);

        private class Nested
        {
        }
    }

    public interface IDrawable
    {
        void Draw();
        int Size { get; }
    }

    public struct Point
    {
        public int X;
        public readonly double Length() => X;
    }

    public record Person(string First, string Last)
    {
        public string Full() => First + Last;
    }

    public record struct Pair(int A, int B);

    public enum Color
    {
        Red,
        Green,
    }

    // Extensions.
    public static class Extensions
    {
        public static string Shout(this string text)
        {
            return text.ToUpper();
        }
    }
}
