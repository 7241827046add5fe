using Orchard.Harvesting;
using Orchard.Plots;
using Orchard.Trees;

namespace Orchard.Tests;

public class PlotTests
{
    private readonly Plot _plot = new("north", hectares: 1.5);

    [Fact]
    public void Young_trees_are_not_expected_to_bear()
    {
        _plot.PlantRow(Species.Apple, trees: 10, planted: new DateOnly(2025, 3, 1));

        Assert.Equal(0, _plot.ExpectedYield(new DateOnly(2026, 9, 1), YieldTable.Standard).Amount);
    }

    [Fact]
    public async Task A_plot_is_not_watered_twice_in_a_row()
    {
        var weather = new FakeWeather { ChanceOfRain = 0 };
        var today = new DateOnly(2026, 6, 1);

        Assert.True(await _plot.WaterAsync(weather, today));
        Assert.False(await _plot.WaterAsync(weather, today.AddDays(1)));
    }
}
