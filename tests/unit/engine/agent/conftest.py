from __future__ import annotations

import pydantic_ai.models

# A test that reaches for a real provider is a mistake, and would spend money.
pydantic_ai.models.ALLOW_MODEL_REQUESTS = False
