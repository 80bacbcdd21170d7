"""The journal paper's three programs (Section 7)."""

NON_RECURSIVE = """
AssistantProfessorCandidate(X) :- diamondminus[1,1] Lecturer(X).
AssociateProfessorCandidate(X) :- doctoralDegreeFrom(X, Y), boxminus[1,1] University(Y).
AssociateProfessorCandidate(X) :- boxminus[1,1] AssistantProfessorCandidate(X).
"""
"""Π_nr."""

ONCE_A_SCIENTIST = """
ScientistCandidate(X) :- diamondminus[1,1] doctoralDegreeFrom(X, Y).
Scientist(X) :- boxminus[1,1] ScientistCandidate(X).
Scientist(X) :- diamondminus[1,1] FullProfessor(X).
"""
"""The first three rules of Π_r, without the one that makes it recursive."""

RECURSIVE = ONCE_A_SCIENTIST + "FullProfessor(X) :- diamondminus[1,1] Scientist(X).\n"
"""Π_r."""

SHORT_STOPS = """
NotPos(V) :- NotOnMap(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] Pos(V), boxminus[4,4] NotPos(V).
ShortStop(V) :- NotPos(V), boxminus[1,1] Pos(V), boxminus[2,2] Pos(V), boxminus[3,3] Pos(V), boxminus[4,4] Pos(V),
    boxminus[5,5] NotPos(V).
"""
"""Π: a vehicle stands still (``Pos``) at one to four time points in a row and no more."""

SHORT_STOP = "ShortStop"
"""The predicate that is asked for."""
