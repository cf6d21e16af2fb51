"""Grafana dashboards as code: ``boards.py`` says what they show, ``generate.py`` writes the JSON beside it."""
