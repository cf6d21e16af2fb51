"""The prompts, one module each. A changed word is another prompt hash and so another producer."""
