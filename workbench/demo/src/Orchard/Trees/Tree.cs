namespace Orchard.Trees;

/// <summary>A tree as it was planted.</summary>
public record Tree(TreeId Id, Species Species, DateOnly Planted) : IKeyed<TreeId>
{
    /// <summary>Years until a tree bears well.</summary>
    protected const int YearsToMaturity = 4;

    /// <inheritdoc />
    public TreeId Key => Id;

    /// <summary>The stock it was grafted on, where it is known.</summary>
    public string? Rootstock { get; init; }

    /// <summary>Whether it bears well on that day.</summary>
    public virtual bool IsMature(DateOnly on) => Planted.AddYears(YearsToMaturity) <= on;
}

/// <summary>A tree that carries several varieties, grafted on one stem.</summary>
public sealed record FamilyTree(TreeId Id, Species Species, DateOnly Planted, IReadOnlyList<string> Varieties)
    : Tree(Id, Species, Planted)
{
    /// <inheritdoc />
    /// <remarks>Every graft costs a year.</remarks>
    public override bool IsMature(DateOnly on) => base.IsMature(on.AddYears(-Varieties.Count));
}
