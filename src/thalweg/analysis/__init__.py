"""What can be said about a program before it runs: one check or promise a file."""
