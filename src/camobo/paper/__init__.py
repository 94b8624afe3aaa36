"""The paper's experiments, run again: CA-MOBO beside MO-UCB, every figure, and a table of published against measured.

experiments   what is run: problem, order, protocol
steel forest network digits     the problems that are not in `camobo.problems`
runs          one run, and the folder that keeps them
workers       many runs at once
summary       a folder of runs in a few numbers
figures table what is drawn and written from them
command       `camobo paper …`
"""
