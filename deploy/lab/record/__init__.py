"""How the sample findings are made from one catalogue: `python -m deploy.lab.record`."""
