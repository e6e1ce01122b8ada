"""The locked place where approved commands run."""
