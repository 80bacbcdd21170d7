"""LARS and CQL under windows of growing size."""
