using Orchard.Weather;

namespace Orchard.Plots;

/// <content>When a plot is watered.</content>
public sealed partial class Plot
{
    private DateOnly? _lastWatered;

    /// <summary>Raised when the pumps start.</summary>
    public event Action<Plot, DateOnly>? Watered;

    /// <summary>Days a plot goes without water before its trees mind.</summary>
    public int DryDaysAllowed { get; set; } = 6;

    /// <summary>Waters the plot unless rain is coming or it was watered lately.</summary>
    public async Task<bool> WaterAsync(IWeatherSource weather, DateOnly today, CancellationToken cancel = default)
    {
        if (_lastWatered is { } last && today.DayNumber - last.DayNumber < DryDaysAllowed)
        {
            return false;
        }

        var forecast = await weather.ForecastAsync(Name, today, cancel).ConfigureAwait(false);
        if (forecast.RainIsLikely)
        {
            return false;
        }

        _lastWatered = today;
        Watered?.Invoke(this, today);
        return true;
    }
}
