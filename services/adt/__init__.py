"""SAP systems over ADT (SPEC section 16): sessions, objects, sources, locks, checks and activation."""
