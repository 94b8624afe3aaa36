"""Where studies live: memory, a SQLite file, or a PostgreSQL server.

A store holds a document (the plan as plain data) and events. Every change is one transaction: it sees all earlier
events, excludes other writers, and is stored completely or not at all.

For other rooms:
    protocol      Store and Transaction: what every store can do
    store         opens the store a user names; creates or loads the study in it
    outcome       what became of a change whose reply was lost
    connections   connections to databases, and advice about their errors
    schema        the tables, and Optuna's, by which its databases are recognised
    inspection    looks through a study for all that is wrong with it
    copies        copies of a study, and of what is whole of a damaged one
    salvage       what of a list of events can be kept if some are lost
Inside this room:
    memory        a study that lasts as long as the process
    sql           a study in SQLite or PostgreSQL
    transaction   one change of it
    reading       reads it, and verifies what it reads
    chain         hashes over what is stored
    tables        whether a database holds exactly the tables of a study
    stored_json   the JSON in it
    formats       the format of stored studies, and older ones read in today's words
    migrations    converts what is stored, as part of the first change
    opened_file   notices when a SQLite file was removed, replaced or cut short
    write_ahead   whether SQLite's log beside the file is whole
    file_locks    file locks: one process at a time; one process per owner name
"""
