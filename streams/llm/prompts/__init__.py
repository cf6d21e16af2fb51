"""The prompts, one module each. A changed word is another prompt hash and so another producer.

That of the answers is ``query.plans``: it is part of what a query returns, and is hashed there.
"""
