"""The agent: tools, instructions, models, recorded steps."""
