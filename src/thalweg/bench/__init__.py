"""The papers' tables and figures, peers measured beside us, and what the pipeline costs: ``thalweg bench``."""
