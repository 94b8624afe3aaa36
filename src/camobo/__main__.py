"""`python -m camobo` is the `camobo` command."""

from camobo.cli import main

if __name__ == "__main__":
    main()
