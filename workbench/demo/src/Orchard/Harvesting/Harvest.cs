using Orchard.Trees;

namespace Orchard.Harvesting;

/// <summary>What one tree gave on one day.</summary>
/// <param name="Tree">Which tree.</param>
/// <param name="Day">When it was picked.</param>
/// <param name="Weight">How much.</param>
/// <param name="Grade">How good.</param>
public sealed record Harvest(TreeId Tree, DateOnly Day, Kilograms Weight, Grade Grade = Grade.First)
{
    /// <summary>Who picked it, where that was written down.</summary>
    public string? Picker { get; init; }
}

/// <summary>How good fruit is.</summary>
public enum Grade
{
    First,
    Second,
    Cider,
}
