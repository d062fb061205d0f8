"""Speed of the GPU engine, compared with the CPU of the same machine."""
