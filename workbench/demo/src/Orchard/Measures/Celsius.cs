namespace Orchard.Measures;

/// <summary>A temperature.</summary>
/// <param name="Degrees">Degrees Celsius.</param>
public readonly record struct Celsius(double Degrees)
{
    /// <summary>Where blossom begins to suffer.</summary>
    public static Celsius FrostPoint { get; } = new(-1.5);

    /// <summary>Whether blossom suffers at this temperature.</summary>
    public bool IsFrost => Degrees <= FrostPoint.Degrees;

    public static implicit operator Celsius(double degrees) => new(degrees);

    public static Celsius operator -(Celsius value) => new(-value.Degrees);
}
