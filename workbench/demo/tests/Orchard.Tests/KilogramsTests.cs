using Orchard.Measures;

namespace Orchard.Tests;

public class KilogramsTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(2500, 2.5)]
    public void Grams_become_kilograms(decimal grams, decimal kilograms) =>
        Assert.Equal(kilograms, Kilograms.FromGrams(grams).Amount);

    [Fact]
    public void A_weight_is_never_negative() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new Kilograms(-1));
}
