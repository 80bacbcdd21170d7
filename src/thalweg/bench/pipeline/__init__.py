"""The pipeline on Spark: throughput, latency, growth, shards, stages."""
