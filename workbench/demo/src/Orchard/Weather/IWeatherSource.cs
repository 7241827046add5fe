namespace Orchard.Weather;

/// <summary>Knows the weather to come.</summary>
public interface IWeatherSource
{
    /// <summary>The forecast for a plot and a day.</summary>
    Task<Forecast> ForecastAsync(string plot, DateOnly day, CancellationToken cancel = default);
}
