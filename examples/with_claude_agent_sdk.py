"""Claude Agent SDK: a prompt hook adds the memory of an earlier session.

Prints:
    True
"""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions

import erstwhile
from erstwhile.integrations.claude_agent import ErstwhileSessionStore, memory_hooks

memory = erstwhile.open(":memory:").scoped(user="ana")
options = ClaudeAgentOptions(
    session_store=ErstwhileSessionStore(memory), hooks=memory_hooks(memory)
)


async def main() -> None:
    """Do what Claude Code does: mirror a transcript, and call the hook for the next prompt."""
    entry = {"role": "user", "content": "I drink green tea in the morning."}
    key = {"project_key": "shop", "session_id": "monday"}
    await options.session_store.append(key, [{"type": "user", "uuid": "1", "message": entry}])
    prompt = {"session_id": "tuesday", "prompt": "Which tea do I drink?"}
    [hook] = options.hooks["UserPromptSubmit"][0].hooks
    answer = await hook(prompt, None, {"signal": None})
    print("green tea" in answer["hookSpecificOutput"]["additionalContext"])


asyncio.run(main())
