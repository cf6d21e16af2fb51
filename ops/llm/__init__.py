"""Where a language model is reached: over HTTP, or by files that somebody else has answered."""
