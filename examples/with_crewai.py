"""CrewAI: a crew recalls what an earlier run remembered.

Prints:
    Ana drinks green tea
"""

from crewai.memory.unified_memory import Memory

import erstwhile
from erstwhile.integrations.crewai import ErstwhileStorage

memory = erstwhile.open(":memory:").scoped(user="ana")
storage = ErstwhileStorage(memory)
# Give it to a crew: Crew(…, memory=crew_memory). Without a model, say where a text belongs.
crew_memory = Memory(storage=storage, embedder=storage.embed, consolidation_threshold=1.0)
about = {"scope": "/ana", "categories": ["food"], "importance": 0.5, "metadata": {}}
crew_memory.remember("Ana drinks green tea", **about)
found = crew_memory.recall("Which tea does Ana drink?", depth="shallow")
print(found[0].record.content)
