"""All experiments, in the order of the page."""

from __future__ import annotations

from thalweg.bench.data import DEEP, HACKATHON, LUBM, PROGRAMS
from thalweg.bench.experiment import Experiment

EXPERIMENTS = (
    Experiment(
        "meteor",
        "temporal LUBM, in process, against MeTeoR",
        "peers.against_meteor",
        ("meteor_reasoner",),
        (LUBM, PROGRAMS),
    ),
    Experiment("memory", "peak memory of a batch", "cost.memory", data=(LUBM, PROGRAMS)),
    Experiment("growth", "time from few facts to many", "cost.growth", data=(LUBM, PROGRAMS)),
    Experiment(
        "short-stops",
        "short stops on a stream, against MeTeoR",
        "peers.short_stops",
        ("meteor_reasoner",),
        (HACKATHON, PROGRAMS),
    ),
    Experiment("throughput", "short stops of many vehicles", "cost.throughput"),
    Experiment("reelay", "past MTL on signals, against reelay", "peers.against_reelay", ("reelay",)),
    Experiment("windows", "LARS under windows of growing length", "windows.growing"),
    Experiment("lars-plus", "the LARS+ paper's Table 1", "lars_plus.table_one"),
    Experiment("re-chase", "going on against chasing anew", "lars_plus.rechase"),
    Experiment("deep", "Deep100 chased once, against clingo", "lars_plus.one_shot", data=(DEEP,)),
    Experiment("hypotheses", "throughput with late readings", "hypotheses.throughput"),
    Experiment("spark", "the pipeline on Spark, against one that does not reason", "pipeline.share"),
)
