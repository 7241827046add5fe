using Orchard.Trees;

namespace Orchard.Harvesting;

/// <summary>Decides whether a harvest may be entered.</summary>
public delegate Result<Harvest> HarvestCheck(Harvest harvest);

/// <summary>The book of what was picked. Entries are never changed, only added.</summary>
public sealed class HarvestLedger : IEnumerable<Harvest>
{
    private readonly List<Entry> _entries = [];
    private readonly HarvestCheck[] _checks;

    /// <summary>Opens an empty book that enters what passes every check.</summary>
    public HarvestLedger(params HarvestCheck[] checks) => _checks = checks;

    /// <summary>Raised after an entry.</summary>
    public event EventHandler<Harvest> Entered
    {
        add => _entered += value;
        remove => _entered -= value;
    }

    private event EventHandler<Harvest>? _entered;

    /// <summary>How many entries there are.</summary>
    public int Count => _entries.Count;

    /// <summary>The number of the last entry; 0 in an empty book.</summary>
    public int LastNumber => _entries.Count == 0 ? 0 : _entries[^1].Number;

    /// <summary>Enters a harvest, if every check agrees.</summary>
    public Result<Harvest> Enter(Harvest harvest)
    {
        foreach (var check in _checks)
        {
            if (check(harvest) is { IsSuccess: false } refused)
            {
                return refused;
            }
        }

        _entries.Add(new Entry(LastNumber + 1, harvest));
        _entered?.Invoke(this, harvest);
        return harvest;
    }

    /// <summary>What was picked between two days, both included.</summary>
    public Totals TotalsBetween(DateOnly first, DateOnly last)
    {
        var totals = new Totals();
        foreach (var harvest in this.Where(harvest => harvest.Day >= first && harvest.Day <= last))
        {
            totals.Add(harvest);
        }

        return totals;
    }

    /// <inheritdoc />
    public IEnumerator<Harvest> GetEnumerator() => _entries.Select(entry => entry.Harvest).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private readonly record struct Entry(int Number, Harvest Harvest);

    /// <summary>Weights by grade and by plot.</summary>
    public sealed class Totals
    {
        private readonly Dictionary<Grade, Kilograms> _byGrade = [];

        internal Totals()
        {
        }

        /// <summary>Everything together.</summary>
        public Kilograms All { get; private set; } = Kilograms.Zero;

        /// <summary>The weight of one grade.</summary>
        public Kilograms this[Grade grade] => _byGrade.GetValueOrDefault(grade, Kilograms.Zero);

        internal void Add(Harvest harvest)
        {
            All += harvest.Weight;
            _byGrade[harvest.Grade] = this[harvest.Grade] + harvest.Weight;
        }
    }
}
