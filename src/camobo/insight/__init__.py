"""One read model of a study: what it found, what it used, how good its models are, why it suggested what.

Everything reads a `Record` (a plan and its trials), so figures, reports, commands and the progress bar show the same
numbers, for a `Study` and for trials from elsewhere alike.

For other rooms:
    record       Record: the plan and the trials of a study, its front, hypervolume, money and use of inputs
    purse        Purse: what was spent and is left, and what points cost
    effects      how much each input adds to what points cost
    costs        Costs: what each trial cost, recorded or expected
    summary      what a study has found and used, in a few numbers
    overview     a study at a glance, as text and as HTML
    dataframe    the trials as a pandas DataFrame
    status       where a study stands, as plain data
    spending     spending by trial, expected against paid, receipts against the order, how the cost fades
    diagnostics  the models of a study, and how well each predicts trials it has not seen
    slices       what the models expect along one input
    slips        values that may be a slip of the hand
    explanation  why a trial was suggested
"""
