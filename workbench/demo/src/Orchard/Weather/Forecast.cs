namespace Orchard.Weather;

/// <summary>What is expected of one day at one place.</summary>
public record struct Forecast(DateOnly Day, Celsius Low, Celsius High, double ChanceOfRain)
{
    private const double Likely = 0.6;

    /// <summary>Whether to count on rain.</summary>
    public readonly bool RainIsLikely => ChanceOfRain >= Likely;

    /// <summary>Whether blossom is in danger.</summary>
    public readonly bool FrostIsLikely => Low.IsFrost;
}
