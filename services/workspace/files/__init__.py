"""Files below one root: confinement, ignore rules, durable writes."""
