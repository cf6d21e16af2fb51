"""Grafana dashboards as code: ``panels.py`` says what they show, ``generate.py`` writes the JSON beside it."""
