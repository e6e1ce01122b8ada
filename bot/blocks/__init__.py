"""What people see in Slack, rendered from the engine's values. Pure: nothing here knows Slack's API."""
