"""The page: a server for runs and programs, and reports in one file."""
