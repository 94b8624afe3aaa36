"""Evaluates trials with a function or a command and records the results.

`loop` takes trials from a study, `workers` starts one evaluation per trial, `evaluate` and `command` run it, and `loop`
records the outcome. A failed, killed or interrupted evaluation never stops the others or damages the study.

For other rooms:
    loop           `optimize`: keep evaluations running and record their outcomes
    trial_queue    `TrialQueue`: what the loop needs of a study (`Study` is one); `Run`: one call of `optimize`
    command        `Command`: a command line as the objective
    faults         what went wrong, and whether the function is to blame rather than the point
    evaluate       one evaluation of a Python function, in this process or in a child process
    workers        start evaluations: in this process, in child processes, or on an executor
    interrupts     Ctrl-C and requests to end, none of which may get lost
    money          money as a run shows it
Inside this room:
    guard          stops what a process had started when it is killed itself
    ahead          the next suggestion, computed while the workers are busy
    patience       waiting for a storage that is away
    verdict        why a run starts no further trial, and what it says then
    coroutines     evaluations by an `async def` function, in one event loop
    progress_bar   progress in a terminal
"""
