"""What was parked, and how it is read again after a fix. Reading order: ``letters``, ``redrive``, then the two logs."""
