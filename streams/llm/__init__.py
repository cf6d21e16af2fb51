"""What asking a language model needs apart from the network: prompts, reply schemas, and reading what comes back."""
