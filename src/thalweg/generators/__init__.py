"""Seeded streams to try things on: the papers' universities, traffic, belts, turbines and trams, and a network."""
