"""Gaussian-process models of outcomes: one exact process per objective or constraint.

Values are standardised (`transforms`), hyper-parameters fitted (`fitting`), the process conditioned (`gp`), and new
observations appended until the next fit (`models`).

For other rooms:
    models       Models and update_models: one process per outcome, refitted or appended to
    gp           GP: posterior, gradients, append
    fitting      fit: a GP with hyper-parameters that maximise likelihood × prior
    hyper        Hyper and its Prior
    kernels      correlations between points, and their gradients
    transforms   Standard: values to the models' scale and back
    blas         one_thread: limits BLAS to one thread
"""
