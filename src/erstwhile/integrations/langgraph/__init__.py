"""LangGraph: a store for long-term memory, and a saver for checkpoints."""

from erstwhile.integrations.langgraph.saver import ErstwhileSaver as ErstwhileSaver
from erstwhile.integrations.langgraph.store import ErstwhileStore as ErstwhileStore
