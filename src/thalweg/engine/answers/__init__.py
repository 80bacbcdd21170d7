"""Answers of programs that need not be stratified (LARS paper, Definitions 8 and 9).

The stratified part of a program is materialised as always. The rest is grounded over a finite stretch of time, and
clingo searches for its answers.
"""
