"""`Study`, the class users work with: ask, tell, read the result.

A `Study` checks what it is given and passes it to its ledger, which turns it into events and stores them. Reading folds
the stored events into a history again.

For other rooms:
    study      `Study`
    identity   the names that trials and events carry: login, worker name
Inside this room:
    ledger     the history of a study, synchronised with its store; transactions
"""
