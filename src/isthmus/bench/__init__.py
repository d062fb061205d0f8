"""Run methods on the problems of the papers and write down what came out."""
