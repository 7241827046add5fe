#if FROST_ALARM
using Orchard.Plots;

namespace Orchard.Weather;

/// <summary>Watches the forecasts of all plots, and calls before frost does harm.</summary>
public class FrostAlarm : IAsyncDisposable
{
    private readonly IPlotStore _plots;
    private readonly IWeatherSource _weather;
    private readonly CancellationTokenSource _stop = new();
    private volatile bool _disposed;

    /// <summary>Makes an alarm that is not watching yet.</summary>
    public FrostAlarm(IPlotStore plots, IWeatherSource weather) => (_plots, _weather) = (plots, weather);

    ~FrostAlarm() => Dispose(disposing: false);

    /// <summary>Raised once for each plot and night.</summary>
    public event Func<Plot, Forecast, Task>? FrostExpected;

    /// <summary>Looks at every plot once.</summary>
    /// <returns>How many plots are in danger.</returns>
    public async Task<int> CheckAsync(DateOnly night)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        var inDanger = 0;
        await foreach (var plot in _plots.AllAsync(_stop.Token).ConfigureAwait(false))
        {
            var forecast = await _weather.ForecastAsync(plot.Name, night, _stop.Token).ConfigureAwait(false);
            if (!forecast.FrostIsLikely)
            {
                continue;
            }

            inDanger++;
            if (FrostExpected is { } call)
            {
                await call(plot, forecast).ConfigureAwait(false);
            }
        }

        return inDanger;
    }

    /// <inheritdoc />
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Lets go of what is held.</summary>
    protected virtual void Dispose(bool disposing)
    {
        if (disposing)
        {
            _stop.Dispose();
        }

        _disposed = true;
    }
}
#endif
