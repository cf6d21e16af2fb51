"""How the weights of ``ops/scoring`` are trained. Needs torch (requirements-reference.txt); nothing else imports it."""
