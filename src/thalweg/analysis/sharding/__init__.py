"""How the work of a program is split over shards and stages.

Facts are spread over shards by the value of one argument, the *key* of their predicate. The program is cut into
*stages* along the components of its predicate graph; between stages facts go to the shards of their next key.
"""

from thalweg.analysis.sharding.plan import Sharding, ShardStage, plan_shards

__all__ = ["ShardStage", "Sharding", "plan_shards"]
