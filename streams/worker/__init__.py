"""A stage on Kafka: one runner per stage and partition. Read ``step`` first: why steps are records of their own."""
