"""Analyses PTX through libfrx in this process; fails where the analysis is done by a program instead."""

import fournex._native
from fournex.ptx import analyze_ptx_text

fournex._native._program_runner = None
answer = analyze_ptx_text(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n  ret;\n}\n")
print("libfrx in the process of Python: a kernel for", answer["target"])
