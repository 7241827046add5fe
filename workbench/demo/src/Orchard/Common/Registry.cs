namespace Orchard.Common;

/// <summary>Things by their key, in the order in which they came.</summary>
public class Registry<TKey, TItem> : IReadOnlyCollection<TItem>
    where TKey : notnull
    where TItem : class, IKeyed<TKey>
{
    private readonly Dictionary<TKey, TItem> _byKey = [];
    private readonly List<TItem> _ordered = [];

    /// <summary>Raised after something was added.</summary>
    public event EventHandler<RegistryChangedEventArgs<TItem>>? Added;

    /// <inheritdoc />
    public int Count => _ordered.Count;

    /// <summary>The item of a key.</summary>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public TItem this[TKey key] => _byKey[key];

    /// <summary>Adds an item; a second one of the same key is refused.</summary>
    public Result<TItem> Add(TItem item)
    {
        ArgumentNullException.ThrowIfNull(item);
        if (!_byKey.TryAdd(item.Key, item))
        {
            return Result<TItem>.Fail($"There is already an item {item.Key}.");
        }

        _ordered.Add(item);
        OnAdded(item);
        return item;
    }

    /// <summary>Looks an item up without complaint.</summary>
    public bool TryGet(TKey key, [NotNullWhen(true)] out TItem? item) => _byKey.TryGetValue(key, out item);

    /// <inheritdoc />
    public IEnumerator<TItem> GetEnumerator() => _ordered.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Raises <see cref="Added" />.</summary>
    protected virtual void OnAdded(TItem item) => Added?.Invoke(this, new(item));
}
