"""Agno: a learning machine remembers facts and decisions of an earlier run.

Prints:
    True
    - **Use pnpm**
"""

from agno.learn import LearningMachine
from agno.models.message import Message

import erstwhile
from erstwhile.integrations.agno import ErstwhileDecisionLog, ErstwhileLearning

memory = erstwhile.open(":memory:")
# Give it to an agent: Agent(learning=machine, db=…)
machine = LearningMachine(
    user_memory=ErstwhileLearning(memory), decision_log=ErstwhileDecisionLog(memory)
)
machine.process([Message(role="user", content="I am allergic to peanuts.")], user_id="ana")
[log] = [each for each in machine.get_tools(user_id="ana") if "log_decision" in str(each)]
log("Use pnpm", reasoning="It is faster")
memory.flush()
prompt = machine.build_context(user_id="ana", message="What am I allergic to?")
print("The user is allergic to peanuts" in prompt)
print(next(line for line in prompt.splitlines() if line.startswith("- **")))
