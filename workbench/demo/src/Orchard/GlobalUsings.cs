global using System.Collections;
global using System.Diagnostics.CodeAnalysis;
global using Orchard.Common;
global using Orchard.Measures;
