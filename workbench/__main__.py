"""`python -m workbench`: the same as `codecortex`."""

from workbench.shell.safe_path import leave_out_current_folder

if __name__ == "__main__":
    leave_out_current_folder()

    from workbench.shell.cli import main

    main()
