"""Methods of other libraries, to compare with: never needed for anything else."""
