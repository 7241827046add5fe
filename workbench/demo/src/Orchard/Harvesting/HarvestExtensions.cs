using Orchard.Trees;

namespace Orchard.Harvesting;

/// <summary>Questions about harvests.</summary>
public static class HarvestExtensions
{
    /// <summary>The weight of all of them together.</summary>
    public static Kilograms TotalWeight(this IEnumerable<Harvest> harvests) =>
        harvests.Aggregate(Kilograms.Zero, (sum, harvest) => sum + harvest.Weight);

    /// <summary>Those of one plot.</summary>
    public static IEnumerable<Harvest> OfPlot(this IEnumerable<Harvest> harvests, string plot) =>
        harvests.Where(harvest => harvest.Tree.Plot == plot);

    /// <summary>The trees that gave most, best first.</summary>
    public static IReadOnlyList<(TreeId Tree, Kilograms Weight)> Best(this IEnumerable<Harvest> harvests, int count) =>
        [.. harvests
            .GroupBy(harvest => harvest.Tree)
            .Select(group => (group.Key, group.TotalWeight()))
            .OrderByDescending(entry => entry.Item2)
            .Take(count)];
}
