namespace Orchard.Harvesting;

/// <summary>Checks that most ledgers want.</summary>
public static class HarvestChecks
{
    /// <summary>Refuses what no tree can bear in a day.</summary>
    public static HarvestCheck AtMost(Kilograms limit) =>
        harvest => harvest.Weight > limit
            ? Result<Harvest>.Fail($"{harvest.Tree} cannot have given {harvest.Weight}.")
            : harvest;

    /// <summary>Refuses a day that has not come yet.</summary>
    public static HarvestCheck NotInTheFuture(TimeProvider clock)
    {
        ArgumentNullException.ThrowIfNull(clock);
        return Check;

        Result<Harvest> Check(Harvest harvest)
        {
            var today = DateOnly.FromDateTime(clock.GetLocalNow().DateTime);
            return harvest.Day <= today ? harvest : Result<Harvest>.Fail($"{harvest.Day} has not come yet.");
        }
    }
}
