"""The Python client's half of chaos: a test says what goes wrong in the workspace, and when it ends.

    await ws.chaos.drop()                                # all sockets, now
    await ws.chaos.set(door="held", duplicates=1)        # new sockets wait; everything else arrives twice
    await ws.chaos.set(hold=True)                        # events wait ...
    await ws.chaos.release(shuffled=True)                # ... and arrive in another order
    await ws.chaos.fail("chat.postMessage", after=True)  # posted, but the answer is a 500
    await ws.chaos.calm()                                # sound again

Nothing goes by the clock. Each change of these facts wakes `Workspace.until`, so that a test can wait for a
socket to be open (`await ws.until(ws.chaos.connected)`) or for a fault to have struck. To restart the
workspace, or to have connections refused for a while, use `WorkspaceServer.restart`, or `close` and `start`.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

from bot.workspace.chaos import EVERY_METHOD, Fault, Settings, Times
from bot.workspace.model import Json


class Caller(Protocol):
    """The two calls that are used of the client."""

    async def get(self, view: str, **query: str) -> Json:
        """One view of the reading API."""
        ...

    async def do(self, deed: str, body: Json) -> Json:
        """One deed of the people's API."""
        ...


class Trouble:
    """Switches what goes wrong. Every method raises `WorkspaceError` for what there is not."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def set(self, **settings: Any) -> Json:  # noqa: ANN401 - each setting has its own type
        """Change settings; see `bot.workspace.chaos.Settings` for what there is. What is not named stays.

        Returns:
            What `now` gives.
        """
        return await self._tell(settings=settings)

    async def now(self) -> Json:
        """Keys settings, sockets (how many are open), held (events) and struck (calls, by method)."""
        return await self._caller.get("chaos")

    async def connected(self) -> bool:
        """Whether the app has a socket open; for `Workspace.until`."""
        return bool((await self.now())["sockets"])

    async def drop(self, how: Literal["close", "cut"] = "close") -> None:
        """End all sockets now.

        Args:
            how: ``close`` says goodbye, and Slack's client connects again at once; ``cut`` breaks them
                without a word, and it takes the client one of its ping intervals to find out.
        """
        await self._tell(drop=how)

    async def release(self, count: int = -1, *, shuffled: bool = False) -> None:
        """Deliver events that were held back by ``hold``; those to come are still held.

        Args:
            count: how many, oldest first; all when negative.
            shuffled: bring what is held into another order first, which follows from the seed.
        """
        await self._tell(release=count, shuffled=shuffled)

    async def fail(
        self,
        method: str = EVERY_METHOD,
        *,
        status: int = 500,
        error: str | None = None,
        retry_after: int | None = None,
        times: Times = None,
        chance: float = 1.0,
        after: bool = False,
        cut: bool = False,
    ) -> None:
        """Have a method of the Web API fail, beside what fails already.

        Args:
            method: such as ``chat.postMessage``; every one without it.
            status: HTTP status; 200 for a refusal such as ``channel_not_found``.
            error: Slack's error code; by default ``ratelimited`` for 429 and ``internal_error`` else.
            retry_after: seconds of the ``Retry-After`` header; 1 for a 429.
            times: how many calls it strikes, then it is over; until `heal` without.
            chance: how likely it strikes a call; follows from the seed.
            after: the call has its effect first: a message is posted, yet the answer is wrong.
            cut: the connection breaks in place of an answer.
        """
        limited = status == 429  # noqa: PLR2004 - HTTP's own number
        if limited and retry_after is None:
            retry_after = 1
        fault = Fault(
            method=method,
            status=status,
            error=error or ("ratelimited" if limited else "internal_error"),
            retry_after=retry_after,
            times=times,
            chance=chance,
            after=after,
            cut=cut,
        )
        # Read back each time: faults have counted down in the workspace meanwhile.
        faults = (await self.now())["settings"]["faults"]
        await self.set(faults=[*faults, fault.model_dump()])

    async def heal(self, method: str = EVERY_METHOD) -> None:
        """No more faults of a method; of none at all without one."""
        faults = (await self.now())["settings"]["faults"]
        await self.set(faults=[one for one in faults if method not in (one["method"], EVERY_METHOD)])

    async def calm(self) -> None:
        """Everything is sound again; what was held is delivered."""
        # The seed stays, since naming it would start chance anew.
        sound = Settings().model_dump(exclude={"seed"})
        await self._tell(settings=sound, release=-1)

    async def _tell(self, **wishes: Any) -> Json:  # noqa: ANN401 - JSON of any shape
        return await self._caller.do("chaos", wishes)
