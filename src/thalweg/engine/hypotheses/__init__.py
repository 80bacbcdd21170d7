"""Hypothetical answers online: partial matches of patterns as rows, extended and dropped as facts and time come."""
