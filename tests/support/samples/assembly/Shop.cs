// mcs -target:library -optimize -out:Shop.dll Shop.cs
using System;
using System.Collections.Generic;

namespace Shop
{
    public delegate TResult Pricing<in T, out TResult>(T item, params int[] amounts);

    public interface IItem : IComparable<IItem> { string Name { get; } event EventHandler Sold; }

    public class Kept : List<string> { public int Weight; }

    public class Shelf : Kept, IItem
    {
        public const int Most = 12;
        public static readonly string Label = "";
        protected internal int Width;
        private int secret;
        public Shelf(int width, string label = "none") { Width = width; secret = Most; }
        protected Shelf() { }
        public string Name { get; protected set; }
        public int Depth { private get; set; }
        public event EventHandler Sold;
        int IComparable<IItem>.CompareTo(IItem other) { Sold(null, null); return secret; }
        public virtual (int Row, (string First, int) Place) Find(ref int at, out string left, int right) { left = ""; return default; }
        public dynamic Loose(dynamic given, Dictionary<string, dynamic> all) { return given; }
        public override string ToString() { return ""; }
        public string this[int row, long column] { get { return ""; } set { } }
        public string this[string name] { set { } }
        public static Shelf operator +(Shelf one, Shelf other) { return one; }
        public static implicit operator int(Shelf shelf) { return 0; }
        public static explicit operator Shelf(int width) { return null; }
        private class Secret { }
        protected enum Colour { Red, Green }
    }

    public abstract class Pile<T> where T : class, IItem, new()
    {
        public abstract T Top { get; }
        protected abstract void Sort<TKey>(Func<T, TKey> key, int?[,] grid) where TKey : struct, IComparable<TKey>;
        public struct Cursor<TStep> where TStep : T { public TStep Step; public T Item; public T[][,] Grid; }
    }

    public sealed class Tower : Pile<Tower>, IItem
    {
        public override Tower Top { get { return this; } }
        public string Name { get { return ""; } }
        public event EventHandler Sold { add { } remove { } }
        public int CompareTo(IItem other) { return 0; }
        protected override void Sort<TKey>(Func<Tower, TKey> key, int?[,] grid) { }
        public unsafe void* Raw(int* at) { return at; }
    }

    public static class Offers
    {
        public static IEnumerable<T> Cheap<T>(this IEnumerable<T> items, Func<T, decimal> price, params string[] names) where T : IItem { return items; }
        public static T Plain<T>(IEnumerable<T> items) { return default(T); }
        internal static void Hide(this int it) { }
    }
}
