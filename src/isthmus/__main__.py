"""``python -m isthmus``: the command line without an installed script."""

from isthmus.cli import main

if __name__ == "__main__":
    main()
