"""mem0: a program for mem0 with one import changed.

Prints:
    The user is allergic to peanuts
"""

import erstwhile
from erstwhile.integrations.mem0 import Memory

memory = Memory(memory=erstwhile.open(":memory:"))
memory.add("I am allergic to peanuts.", user_id="ana")
found = memory.search("What am I allergic to?", filters={"user_id": "ana"})
print(found["results"][0]["memory"])
