"""Several conversations at once, on one event loop and one file.

Prints:
    ana: 3 facts
    ben: 3 facts
    everything on the trail: True
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from erstwhile import AsyncMemory

TURNS = ("I moved to Lisbon", "I work at Lumen", "I prefer short answers")


async def converse(memory: AsyncMemory, user: str) -> str:
    own = memory.scoped(user=user, agent="assistant")
    for turn in TURNS:
        await own.remember(f"{user} said: {turn}", origin="learned", source=f"chat-{user}")
    return f"{user}: {await own.facts.count()} facts"


async def main() -> None:
    with TemporaryDirectory() as folder:
        async with await AsyncMemory.open(Path(folder, "agent.db")) as memory:
            for line in await asyncio.gather(*(converse(memory, user) for user in ("ana", "ben"))):
                print(line)
            trail = await memory.everything().audit.verify()
            print("everything on the trail:", trail.ok)


if __name__ == "__main__":
    asyncio.run(main())
