"""Texts that spreadsheets run, shells read or terminals obey, for tests of CSV files."""

from __future__ import annotations

HOSTILE = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "'=1", "''=1", "'", "'twas", "a;=1", "a\t=1",
    'a;"=1"', '"=1"', "=cmd|' /C calc'!A0", "＝1", "−1", "a,=1", "<script>alert(1)</script>", "µ°é", "a\nb",
    "\u202eabc", "=HYPERLINK(\"http://x\")",
    "", " ", "NULL", "true", "1e5", "\x1b[2J", "%0A=1", "&amp;", "{x}", "[bold]x",
    "\\", "=",
]  # fmt: skip
RUN_AS_FORMULA = tuple("=+-@\t\r\n＝＋－＠−")
"""How a cell starts that a spreadsheet runs."""
