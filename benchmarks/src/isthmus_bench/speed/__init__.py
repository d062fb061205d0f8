"""Speed and memory, compared with other implementations in the same run."""
