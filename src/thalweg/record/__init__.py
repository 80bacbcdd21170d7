"""What a run writes beside its answers, in the same folder, and how to read it back. Knows no Spark.

=================================  ===================================================================================
``_thalweg/run.json``              which run it is, when it began, how it stands (:class:`RunRecord`)
``_thalweg/progress.jsonl``        a line for every batch of a stream (:class:`Progress`), the last few thousand
``_thalweg/evidence``              with ``--explain``: the facts that came in, as many as were asked for
=================================  ===================================================================================

All of it is for people and for programs that show a run. No run depends on it.
"""
