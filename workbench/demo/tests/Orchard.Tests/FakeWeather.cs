using Orchard.Measures;
using Orchard.Weather;

namespace Orchard.Tests;

internal sealed class FakeWeather : IWeatherSource
{
    public required double ChanceOfRain { get; init; }

    public Celsius Low { get; set; } = 8.0;

    public Task<Forecast> ForecastAsync(string plot, DateOnly day, CancellationToken cancel = default) =>
        Task.FromResult(new Forecast(day, Low, 21.0, ChanceOfRain));
}
