"""python -m taut"""

from taut.app.cli.main import main

if __name__ == "__main__":
    main(prog_name="python -m taut")
