namespace Orchard.Trees;

/// <summary>What grows on a tree.</summary>
public enum Species
{
    /// <summary>Malus domestica.</summary>
    Apple,

    /// <summary>Pyrus communis.</summary>
    Pear,

    /// <summary>Prunus domestica.</summary>
    Plum = 10,

    /// <summary>Prunus avium.</summary>
    Cherry,
}

/// <summary>What a tree needs of its neighbours.</summary>
[Flags]
public enum Pollination : byte
{
    None = 0,
    Self = 1,
    Cross = 1 << 1,
    Either = Self | Cross,
}
