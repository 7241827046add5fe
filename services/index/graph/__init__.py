"""Which types name which in their declarations: dependencies both ways, groups, depth, reference counts."""
