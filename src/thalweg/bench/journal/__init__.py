"""The journal paper's experiments: Table 2 and Figures 1 to 6."""
