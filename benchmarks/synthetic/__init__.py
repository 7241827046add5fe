"""A made-up C# code base at any scale, the same for the same seed.

Its distributions are those measured on Newtonsoft.Json, jellyfin, efcore, winforms and Polly (14 057 files): file
sizes with a median of 2-3 KB, a mean of 5-14 KB and a long tail; 9-22 declarations a file, of which 40-64 % methods,
7-23 % properties, 7-12 % fields, 7-13 % classes; bodies with a median of 270-305 bytes and a mean of 500-950; docs on
13-52 % of the symbols, attributes on 16-41 %; 2-23 % of the types partial, 1-42 % nested, 1-15 % generic.
"""
