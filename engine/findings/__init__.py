"""The finding, and one importer per format."""
