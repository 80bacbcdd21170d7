"""``thalweg repl``: rules, facts and questions as they are typed."""
