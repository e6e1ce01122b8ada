"""How a language model can fail a person, and how pydantic-ai's failures become that."""

from __future__ import annotations

from pydantic_ai import exceptions as provider

from engine.errors import ModelError, RevalidError


class ModelBusy(ModelError):
    """The language model is over its rate limit; wait a little and reply in the thread to try again."""


class ModelOutOfCredit(ModelError):
    """The language model's account is out of credit; top it up and reply in the thread to try again."""


class ModelUnavailable(ModelError):
    """The language model's service is out of order at the moment; reply in the thread to try again."""


class ModelTimedOut(ModelError):
    """The language model took too long to answer; reply in the thread to try again."""


class ModelUnreachable(ModelError):
    """The language model cannot be reached; check its address and reply in the thread to try again."""


class ModelKeyRefused(ModelError):
    """The language model refused the API key; correct it in the settings and reply in the thread."""


class ModelUnknown(ModelError):
    """The provider has no such language model; correct its name in the settings and reply in the thread."""


class ModelContextFull(ModelError):
    """The conversation is longer than this language model can read; choose a larger model or Restart."""


class ModelRefused(ModelError):
    """The language model's provider refused the request; reply in the thread to try again."""


class ModelUnreadable(ModelError):
    """The language model's answer could not be used; reply in the thread to try again."""


# Ordered: the first that fits wins, so a kind stands before the kind it belongs to.
_KINDS: tuple[tuple[type[Exception], type[ModelError]], ...] = (
    (provider.ModelRateLimitError, ModelBusy),
    (provider.ModelQuotaExceededError, ModelOutOfCredit),
    (provider.ModelUnavailableError, ModelUnavailable),
    (provider.ModelServerError, ModelUnavailable),
    (provider.ModelRequestTimeout, ModelTimedOut),
    (provider.ModelTimeoutError, ModelTimedOut),
    (provider.ModelConnectionError, ModelUnreachable),
    (provider.ModelContextWindowExceededError, ModelContextFull),
    (provider.ModelAuthenticationError, ModelKeyRefused),
    (provider.ModelNotFoundError, ModelUnknown),
    (provider.ModelRequestRejectedError, ModelRefused),
    (provider.UnexpectedModelBehavior, ModelUnreadable),
)
# For errors that pydantic-ai raises without a kind of their own, as compatible servers cause them.
_STATUSES: dict[int, type[ModelError]] = {
    401: ModelKeyRefused,
    402: ModelOutOfCredit,
    403: ModelKeyRefused,
    404: ModelUnknown,
    408: ModelTimedOut,
    429: ModelBusy,
}
_SERVER_ERROR = 500
# A refused key, an empty account and a full context are the same a minute later.
_TRANSIENT = (ModelBusy, ModelUnavailable, ModelTimedOut, ModelUnreachable)
_WAITING: dict[type[ModelError], str] = {
    ModelBusy: "the model is busy, trying again",
    ModelUnavailable: "the model's service is out of order, trying again",
    ModelTimedOut: "the model is slow to answer, trying again",
    ModelUnreachable: "the model cannot be reached, trying again",
}


def transient(error: Exception) -> bool:
    """Whether the same request may well succeed a little later."""
    return isinstance(as_model_error(error), _TRANSIENT)


def waiting_for(error: Exception) -> str:
    """What the thread shows while a transient error is waited out."""
    return _WAITING.get(type(as_model_error(error)), "the model failed, trying again")


def as_model_error(error: Exception) -> ModelError:
    """The sentence for a person. Takes nothing from the provider's text, which may quote keys or prompts."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, RevalidError):
        return ModelError(error.sentence)
    wait = getattr(error, "retry_after", None)
    if isinstance(error, provider.ModelRateLimitError) and wait:
        return ModelBusy(
            f"The language model is over its rate limit and asks for {wait:.0f} seconds; "
            "wait that long and reply in the thread to try again."
        )
    for kind, ours in _KINDS:
        if isinstance(error, kind):
            return ours()
    if isinstance(error, provider.ModelHTTPError):
        return _by_status(error.status_code)()
    return ModelError()


def _by_status(status: int) -> type[ModelError]:
    if status >= _SERVER_ERROR:
        return ModelUnavailable
    return _STATUSES.get(status, ModelRefused)
