"""The LARS+ paper's experiments, and the chase against others."""
