"""Where changes come from: git, patches, and the servers on which reviews are held."""
