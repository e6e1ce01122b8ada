"""Where log lines go: to standard error, one each, ours and those of the libraries."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str) -> None:
    """Write lines of at least this level (`debug`, `info`, `warning`, `error`)."""
    number = logging.getLevelNamesMapping()[level.upper()]
    terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # The default prints the values of local variables too, among them tokens and passwords.
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
            if terminal
            else _for_files,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # Libraries tell at `info` what is of no use to an operator, such as each socket that was renewed.
    logging.basicConfig(
        level=number if number == logging.DEBUG else max(number, logging.WARNING),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        force=True,
    )


def _for_files(
    logger: structlog.types.WrappedLogger, name: str, event: structlog.types.EventDict
) -> str | bytes:
    told = structlog.processors.format_exc_info(logger, name, event)
    return structlog.processors.JSONRenderer()(logger, name, told)
