"""What a question asks of a table, chosen by a model among everything that could be asked of it.

`candidates.py` lists it, `features.py` says what may tell for each, and `choosing.py` weighs that with
the weights that `training/table_questions.py` learnt.
"""
