"""How the command line words things: advice, command lines, file names."""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Iterable, Mapping

from camobo.errors import Advice, CamoboError
from camobo.hints import redacted

ADVICE: Mapping[Advice, str] = {
    Advice.FAIL: "To record a failed measurement use camobo fail.",
    Advice.TELL: "To record it use camobo tell.",
    Advice.AMEND: "To correct or withdraw a result use camobo amend.",
    Advice.COUNT: "To make it count use camobo tell without --cost: what it cost counts already.",
    Advice.CREATE: "Create a study with camobo new.",
    Advice.CONTINUE: "To continue that study, name it: {place}. For a new one choose another place with --storage.",
    Advice.REOPEN: "Run the command again.",
    Advice.REPAIR: Advice.REPAIR.value,
    Advice.CATCH: "To record such trials as failed and go on, give --record-failures.",
    Advice.SPEND_MORE: "To go on, raise it with camobo set STUDY --budget=….",
    Advice.LOOK: "Look at camobo log before doing it again.",
    Advice.AGAIN: "Look at camobo log before doing it again.",
    Advice.IN_MEMORY: "",
}
"""What to do about an error, worded as commands."""


def error(given: CamoboError) -> str:
    """An error with its advice as a command.

    >>> error(CamoboError("trial 3 is complete.", advice=Advice.AMEND))
    'trial 3 is complete. To correct or withdraw a result use camobo amend.'
    """
    return given.phrased(ADVICE)


def to_fill_in(names: Iterable[str]) -> str:
    """A template for the results of a `tell` command, quoted for the shell.

    >>> to_fill_in(["strength", "salt spray"]), to_fill_in(["-ni"])
    ("strength=… 'salt spray'=…", '-- -ni=…')
    """
    given = list(names)
    dashes = "-- " if any(name.startswith("-") for name in given) else ""
    return dashes + " ".join(f"{shlex.quote(name)}=…" for name in given)


def file_name(text: str) -> str:
    """A file name made from any text; if it had to be changed, a checksum keeps it distinct.

    >>> file_name("forest"), file_name("a/b: c?"), file_name("..")
    ('forest', 'a-b-c-fac8409d', 'study-9608161c')
    """
    plain = re.sub(r"[^\w.-]+", "-", text)[:100].strip("-.") or "study"
    return plain if plain == text else f"{plain}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def command_line(*parts: str) -> str:
    """A command line ready to be typed, quoted for the shell. A password in a URL is hidden: it is to be typed again.

    >>> command_line("camobo", "ask", "my alloy.db")
    "camobo ask 'my alloy.db'"
    >>> command_line("camobo", "ask", "postgresql://anna:s3cret@lab/alloy")
    "camobo ask 'postgresql://anna:***@lab/alloy'"
    """
    return shlex.join(map(redacted, parts))
