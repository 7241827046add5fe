using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Orchard.Harvesting;
using Orchard.Trees;

namespace Orchard.Legacy
{
    /// <summary>Reads the books that the old program wrote: one harvest a line, with semicolons between.</summary>
    [Obsolete("Import the old books once, then keep them in a HarvestLedger.")]
    public static class LedgerFile
    {
        private const char Separator = ';';

        #region Reading

        /// <summary>Every harvest of a book; lines that cannot be read are left out.</summary>
        public static IEnumerable<Harvest> Read(TextReader reader)
        {
            string? line;
            while ((line = reader.ReadLine()) != null)
            {
                if (ParseLine(line).IsSuccess)
                {
                    yield return ParseLine(line).Value;
                }
            }
        }

        internal static Result<Harvest> ParseLine(string line)
        {
            var cells = line.Split(Separator);
            if (cells.Length < 3 || !TreeId.TryParse(cells[0], CultureInfo.InvariantCulture, out var tree))
            {
                return Result<Harvest>.Fail("not a harvest");
            }

#if NET8_0_OR_GREATER
            var day = DateOnly.Parse(cells[1], CultureInfo.InvariantCulture);
#else
            var day = Dates.Parse(cells[1]);
#endif
            return new Harvest(tree, day, new Kilograms(decimal.Parse(cells[2], CultureInfo.InvariantCulture)));
        }

        #endregion
    }
}
