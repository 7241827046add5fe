namespace Orchard.Plots;

/// <summary>Where plots are kept.</summary>
public interface IPlotStore
{
    /// <summary>Every plot, by name.</summary>
    IAsyncEnumerable<Plot> AllAsync(CancellationToken cancel = default);

    /// <summary>One plot, or null.</summary>
    ValueTask<Plot?> FindAsync(string name, CancellationToken cancel = default);

    /// <summary>Keeps a plot as it is now.</summary>
    Task SaveAsync(Plot plot, CancellationToken cancel = default);

    /// <summary>Whether there is such a plot.</summary>
    async ValueTask<bool> ContainsAsync(string name, CancellationToken cancel = default) =>
        await FindAsync(name, cancel).ConfigureAwait(false) is not null;
}
