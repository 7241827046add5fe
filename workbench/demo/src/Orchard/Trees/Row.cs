namespace Orchard.Trees;

/// <summary>Trees in a line, counted from the path.</summary>
public sealed class Row : IReadOnlyList<Tree>
{
    private readonly List<Tree> _trees;

    /// <summary>Makes a row of trees that are already in order.</summary>
    public Row(int number, IEnumerable<Tree> trees)
    {
        Number = number;
        _trees = [.. trees];
    }

    /// <summary>Which row of its plot.</summary>
    public int Number { get; }

    /// <inheritdoc />
    public int Count => _trees.Count;

    /// <inheritdoc />
    public Tree this[int index] => _trees[index];

    /// <summary>The tree with that identity, if it stands here.</summary>
    public Tree? this[TreeId id] => _trees.Find(tree => tree.Id == id);

    /// <summary>Takes a row apart for a pattern.</summary>
    public void Deconstruct(out int number, out IReadOnlyList<Tree> trees) => (number, trees) = (Number, _trees);

    /// <inheritdoc />
    public IEnumerator<Tree> GetEnumerator() => _trees.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
