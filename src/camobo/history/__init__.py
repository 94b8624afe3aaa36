"""What a study is about and everything that happened to it.

A study is a plan and a list of events. Folding the events over the plan gives the trials as they are now. A request
(ask, tell, amend, …) is checked against that state and becomes further events.

For other rooms:
    document       a plan as plain data, and back
    problem_file   a plan from a TOML file
    events         one event, and the kinds there are
    trial          one trial, and its states
    history        the state of a study: the fold of its events
    validation     whether a stored event can be believed
    transitions    what each request changes, or why it is refused
Inside this room:
    late           results that come after somebody else has taken or settled their trial
"""
