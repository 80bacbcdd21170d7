"""Seeded streams of the kinds that the papers measure: universities, traffic, belts, turbines, trams."""
