"""`python -m erstwhile` is the same as the command `erstwhile`."""

from erstwhile.cli.start import main

if __name__ == "__main__":
    main()
