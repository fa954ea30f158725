"""`python -m recollect` is the same as the command `recollect`."""

from recollect.cli.start import main

if __name__ == "__main__":
    main()
