"""What the engine costs in process: time, memory, growth."""
