using System.Globalization;

namespace Orchard.Measures;

/// <summary>A weight. Never negative.</summary>
public readonly record struct Kilograms : IComparable<Kilograms>
{
    /// <summary>Nothing at all.</summary>
    public static readonly Kilograms Zero = new(0m);

    private const decimal GramsPerKilogram = 1000m;

    /// <summary>Makes a weight from a number of kilograms.</summary>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="amount" /> is negative.</exception>
    public Kilograms(decimal amount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(amount);
        Amount = amount;
    }

    /// <summary>How many kilograms.</summary>
    public decimal Amount { get; }

    /// <summary>Makes a weight from grams.</summary>
    public static Kilograms FromGrams(decimal grams) => new(grams / GramsPerKilogram);

    public static Kilograms operator +(Kilograms left, Kilograms right) => new(left.Amount + right.Amount);

    public static Kilograms operator *(Kilograms weight, decimal factor) => new(weight.Amount * factor);

    public static bool operator <(Kilograms left, Kilograms right) => left.CompareTo(right) < 0;

    public static bool operator >(Kilograms left, Kilograms right) => left.CompareTo(right) > 0;

    public static explicit operator decimal(Kilograms weight) => weight.Amount;

    /// <inheritdoc />
    public int CompareTo(Kilograms other) => Amount.CompareTo(other.Amount);

    /// <inheritdoc />
    public override string ToString() => Amount.ToString("0.### kg", CultureInfo.InvariantCulture);
}
