"""The practice weaknesses, one a module, each as a vulnerable and a fixed twin of the same page."""
