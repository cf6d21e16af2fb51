"""Files of messages to ``MessageIn`` JSON. Reading order: items, jsonl, locomo, opening (formats), feeding (totals)."""
