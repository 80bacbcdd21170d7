"""How rules will be evaluated: operator nodes, evaluation order, the stretch of time each predicate needs."""
