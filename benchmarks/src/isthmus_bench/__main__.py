"""``python -m isthmus_bench``: the command line without an installed script."""

from isthmus_bench.cli import main

if __name__ == "__main__":
    main()
