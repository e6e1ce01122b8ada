"""How the bot's tables came to their present shape."""
