using Orchard.Trees;

namespace Orchard.Harvesting;

/// <summary>What a mature tree of each species bears in a year.</summary>
public sealed class YieldTable
{
    private readonly Dictionary<Species, Kilograms> _yields;

    static YieldTable() => Standard = new(new()
    {
        [Species.Apple] = new(60),
        [Species.Pear] = new(45),
        [Species.Plum] = new(30),
        [Species.Cherry] = new(25),
    });

    private YieldTable(Dictionary<Species, Kilograms> yields) => _yields = yields;

    /// <summary>Figures for a middling soil.</summary>
    public static YieldTable Standard { get; }

    /// <summary>The yield of a species; nothing where it is not known.</summary>
    public Kilograms this[Species species]
    {
        get => _yields.GetValueOrDefault(species, Kilograms.Zero);
        internal set => _yields[species] = value;
    }

    /// <summary>The same table for a better or poorer soil.</summary>
    public YieldTable Scaled(decimal factor) =>
        new(_yields.ToDictionary(entry => entry.Key, entry => entry.Value * factor));
}
