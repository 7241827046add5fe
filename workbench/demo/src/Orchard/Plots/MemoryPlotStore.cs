using System.Runtime.CompilerServices;

namespace Orchard.Plots;

/// <summary>Keeps plots for as long as the program runs.</summary>
public sealed class MemoryPlotStore : IPlotStore
{
    private readonly SortedDictionary<string, Plot> _plots = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();

    /// <inheritdoc />
    public async IAsyncEnumerable<Plot> AllAsync([EnumeratorCancellation] CancellationToken cancel = default)
    {
        Plot[] snapshot;
        lock (_gate)
        {
            snapshot = [.. _plots.Values];
        }

        foreach (var plot in snapshot)
        {
            cancel.ThrowIfCancellationRequested();
            yield return plot;
            await Task.Yield();
        }
    }

    /// <inheritdoc />
    public ValueTask<Plot?> FindAsync(string name, CancellationToken cancel = default)
    {
        lock (_gate)
        {
            return new(_plots.GetValueOrDefault(name));
        }
    }

    /// <inheritdoc />
    public Task SaveAsync(Plot plot, CancellationToken cancel = default)
    {
        lock (_gate)
        {
            _plots[plot.Name] = plot;
        }

        return Task.CompletedTask;
    }
}
