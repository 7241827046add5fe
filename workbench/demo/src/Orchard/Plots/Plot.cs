using Orchard.Harvesting;
using Orchard.Trees;

namespace Orchard.Plots;

/// <summary>A piece of land with rows of trees on it.</summary>
public sealed partial class Plot : IKeyed<string>
{
    private readonly List<Row> _rows = [];

    /// <summary>Makes an empty plot.</summary>
    public Plot(string name, double hectares)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Name = name;
        Hectares = hectares;
    }

    /// <summary>What people call it.</summary>
    public string Name { get; }

    /// <summary>Its size.</summary>
    public double Hectares { get; }

    /// <summary>Its rows, from the gate.</summary>
    public IReadOnlyList<Row> Rows => _rows;

    /// <summary>Every tree.</summary>
    public IEnumerable<Tree> Trees => _rows.SelectMany(row => row);

    string IKeyed<string>.Key => Name;

    /// <summary>Plants a row and answers it.</summary>
    public Row PlantRow(Species species, int trees, DateOnly planted)
    {
        var number = _rows.Count + 1;
        var row = new Row(
            number,
            Enumerable.Range(1, trees).Select(place => new Tree(new TreeId(Name, number, place), species, planted)));
        _rows.Add(row);
        return row;
    }

    /// <summary>What a mature plot of this size should bear.</summary>
    public Kilograms ExpectedYield(DateOnly on, YieldTable table)
    {
        var expected = Kilograms.Zero;
        foreach (var tree in Trees.Where(tree => tree.IsMature(on)))
        {
            expected += table[tree.Species];
        }

        return expected;
    }
}
