namespace Orchard.Trees;

/// <summary>Names a tree by its plot, row and place in the row: <c>north-3-12</c>.</summary>
public readonly record struct TreeId(string Plot, int Row, int Place) : IParsable<TreeId>
{
    /// <inheritdoc />
    public static TreeId Parse(string s, IFormatProvider? provider) =>
        TryParse(s, provider, out var id) ? id : throw new FormatException($"'{s}' is not a tree.");

    /// <inheritdoc />
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out TreeId result)
    {
        result = default;
        if (s?.Split('-') is not [var plot, var row, var place])
        {
            return false;
        }

        if (!int.TryParse(row, provider, out var rowNumber) || !int.TryParse(place, provider, out var placeNumber))
        {
            return false;
        }

        result = new TreeId(plot, rowNumber, placeNumber);
        return true;
    }

    /// <inheritdoc />
    public override string ToString() => $"{Plot}-{Row}-{Place}";
}
