namespace Orchard.Common;

/// <summary>Something that has a key of its own.</summary>
public interface IKeyed<out TKey>
    where TKey : notnull
{
    /// <summary>The key; it never changes.</summary>
    TKey Key { get; }
}

/// <summary>What was added to a registry.</summary>
public sealed class RegistryChangedEventArgs<TItem>(TItem item) : EventArgs
{
    /// <summary>The item.</summary>
    public TItem Item { get; } = item;
}
