"""The language server: what an editor asks about a program that somebody is writing."""
