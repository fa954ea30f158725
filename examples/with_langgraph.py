"""LangGraph: one graph stores an item, and another one finds it.

Prints:
    Ana drinks green tea
"""

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

import erstwhile
from erstwhile.integrations.langgraph import ErstwhileSaver, ErstwhileStore

memory = erstwhile.open(":memory:").scoped(user="ana")


def note(state: MessagesState, runtime: Runtime) -> None:
    """Store the words of the user, as an agent would with a tool."""
    runtime.store.put(("notes",), "drink", {"text": state["messages"][-1].content})


def answer(state: MessagesState, runtime: Runtime) -> dict[str, list[tuple[str, str]]]:
    """Answer with the best note, where an agent would ask a model."""
    [found] = runtime.store.search(("notes",), query=state["messages"][-1].content)
    return {"messages": [("ai", found.value["text"])]}


for node, words in ((note, "Ana drinks green tea"), (answer, "Which tea does Ana drink?")):
    graph = StateGraph(MessagesState).add_node("agent", node).add_edge(START, "agent")
    agent = graph.compile(store=ErstwhileStore(memory), checkpointer=ErstwhileSaver(memory))
    thread = {"configurable": {"thread_id": node.__name__}}
    state = agent.invoke({"messages": [("user", words)]}, thread)
print(state["messages"][-1].content)
