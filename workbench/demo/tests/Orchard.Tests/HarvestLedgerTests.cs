using Orchard.Harvesting;
using Orchard.Measures;
using Orchard.Trees;

namespace Orchard.Tests;

public class HarvestLedgerTests
{
    private static readonly DateOnly Day = new(2026, 9, 12);
    private readonly HarvestLedger _ledger = new(HarvestChecks.AtMost(new Kilograms(80)));

    [Fact]
    public void Entries_are_counted_and_announced()
    {
        var announced = 0;
        _ledger.Entered += (_, _) => announced++;

        Assert.True(_ledger.Enter(Picked(12)).IsSuccess);

        Assert.Equal((1, 1), (_ledger.Count, announced));
    }

    [Fact]
    public void A_refused_harvest_leaves_no_entry()
    {
        Assert.False(_ledger.Enter(Picked(900)).IsSuccess);
        Assert.Empty(_ledger);
    }

    private static Harvest Picked(decimal weight) => new(new TreeId("north", 1, 1), Day, new Kilograms(weight));
}
