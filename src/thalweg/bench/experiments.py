"""All experiments, in the order of the page."""

from __future__ import annotations

from thalweg.bench.data import DEEP, HACKATHON, LUBM, PROGRAMS
from thalweg.bench.experiment import Experiment

EXPERIMENTS = (
    Experiment("table-2", "the journal paper's Table 2 and Figures 1 to 3: facts stored", "journal.table_2"),
    Experiment("traffic", "the journal paper's Figures 4 to 6: short stops of vehicles", "journal.traffic"),
    Experiment(
        "meteor",
        "temporal LUBM, in process, against MeTeoR",
        "peers.against_meteor",
        ("meteor_reasoner",),
        (LUBM, PROGRAMS),
    ),
    Experiment(
        "lubm-stream",
        "temporal LUBM as a stream, against MeTeoR",
        "peers.lubm_stream",
        ("meteor_reasoner",),
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
    Experiment("past-mtl", "past MTL on one signal and many, beside reelay and rtamt", "peers.past_mtl"),
    Experiment("windows", "LARS and CQL under windows of growing length", "windows.growing"),
    Experiment("lars-clingo", "LARS windows, against clingo on the window anew", "peers.lars_clingo"),
    Experiment("lars-plus", "the LARS+ paper's Table 1", "lars_plus.table_one"),
    Experiment("re-chase", "going on against chasing anew", "lars_plus.rechase"),
    Experiment("re-chase-rewritten", "going on against the LARS+ paper's own way", "lars_plus.paper_way"),
    Experiment("deep", "Deep100 chased once, against clingo", "lars_plus.one_shot", data=(DEEP,)),
    Experiment("hypotheses", "throughput with late readings", "hypotheses.throughput"),
    Experiment("hypotheses-over-time", "open answers, and how early they are confirmed", "hypotheses.over_time"),
    Experiment("spark-share", "the pipeline on Spark, against one that does not reason", "pipeline.share"),
    Experiment("spark-latency", "small batches on Spark, against the same", "pipeline.latency", is_quick=False),
    Experiment("spark-by-hand", "short stops by rules, against PySpark jobs by hand", "pipeline.against_hand"),
    Experiment("spark-shards", "one shard against several, one stage against two", "pipeline.shards", is_quick=False),
    Experiment("spark-growth", "time and memory on Spark, from few facts to many", "pipeline.growth", is_quick=False),
    Experiment("guard", "ratios that the tests keep an eye on", "guard"),
)
