"""The commands by subject, with the line of help of each.

The lines are here, so that `erstwhile --help` imports no command. A test compares them with the
commands. To add a command, add its line.
"""

from __future__ import annotations

from typing import NamedTuple


class ListedCommand(NamedTuple):
    """Where a command is, as `module:name` below `erstwhile.cli`, and what it does."""

    home: str
    summary: str


PANELS = {
    "Remember and find": {
        "remember": ListedCommand(
            "commands.remember:remember", "Store TEXT as a fact; - reads facts from standard input."
        ),
        "recall": ListedCommand(
            "commands.recall:recall", "Find facts and other records for QUESTION, best first."
        ),
        "context": ListedCommand(
            "commands.recall:context", "Write the memory that a prompt about QUESTION needs."
        ),
        "feedback": ListedCommand(
            "commands.recall:feedback", "Rate recalled facts as useful or irrelevant."
        ),
    },
    "Facts and blocks": {
        "facts": ListedCommand("commands.facts:facts", "Read facts, and change them."),
        "entities": ListedCommand(
            "commands.entities:entities", "See which people and things the facts are about."
        ),
        "blocks": ListedCommand(
            "commands.blocks:blocks", "Keep named texts that an agent edits itself."
        ),
        "snapshots": ListedCommand(
            "commands.snapshots:snapshots",
            "Give names to moments, compare them, and return to one.",
        ),
        "quarantine": ListedCommand(
            "commands.quarantine:quarantine",
            "See which facts were held back, and approve or reject them.",
        ),
        "conflicts": ListedCommand(
            "commands.quarantine:conflicts",
            "See facts that may contradict each other, and settle it.",
        ),
    },
    "Conversations and learning": {
        "conversations": ListedCommand(
            "commands.conversations:conversations",
            "Store messages in their order, and find them again.",
        ),
        "sessions": ListedCommand(
            "commands.sessions:sessions",
            "Store the ids that other programs gave to their sessions.",
        ),
        "learn": ListedCommand(
            "commands.learning:learn", "Learn facts from all conversations, or from one."
        ),
        "learning": ListedCommand(
            "commands.learning:learning", "See what was learned from conversations, and how."
        ),
    },
    "People": {
        "profile": ListedCommand(
            "commands.profile:profile", "See the profile and the language of a user."
        ),
        "onboarding": ListedCommand(
            "commands.profile:onboarding", "Introduce a new user step by step."
        ),
        "identities": ListedCommand(
            "commands.identities:identities", "Link the names that belong to one person."
        ),
        "erase-user": ListedCommand(
            "commands.erasing:erase_user", "Destroy everything of USER, in every collection."
        ),
        "erase-scope": ListedCommand(
            "commands.erasing:erase_scope",
            "Destroy everything in a scope and in all narrower scopes.",
        ),
        "clear": ListedCommand(
            "commands.erasing:clear", "Destroy one COLLECTION of exactly one scope."
        ),
    },
    "Work of an agent": {
        "tasks": ListedCommand("commands.tasks:tasks", "Add tasks, claim them and complete them."),
        "checkpoints": ListedCommand(
            "commands.checkpoints:checkpoints", "Store the progress of a run, and resume it."
        ),
        "outcomes": ListedCommand(
            "commands.outcomes:outcomes", "Record results, and count how often the work went well."
        ),
        "lessons": ListedCommand(
            "commands.lessons:lessons", "Add rules, and list the most useful ones."
        ),
        "observations": ListedCommand(
            "commands.observations:observations", "Take notes at work, and find them again."
        ),
        "limitations": ListedCommand(
            "commands.limitations:limitations",
            "Report limitations of the agent, and resolve them later.",
        ),
        "usage": ListedCommand(
            "commands.usage:usage", "Record the tokens and cost of calls of language models."
        ),
    },
    "Doors for other programs": {
        "mcp": ListedCommand("commands.mcp:mcp", "Serve the memory to agents over MCP."),
        "serve": ListedCommand(
            "commands.serve:serve", "Serve the memory to other programs over HTTP."
        ),
        "tokens": ListedCommand(
            "commands.tokens:tokens", "Make, list and revoke the tokens for HTTP."
        ),
    },
    "Decisions and safety": {
        "decisions": ListedCommand(
            "commands.decisions:decisions", "Record decisions about tool calls, and ask for advice."
        ),
        "hook": ListedCommand(
            "hook.command:hook", "Answer and record the events of a coding agent."
        ),
        "guard": ListedCommand("commands.guard:guard", "Try the guard on a text."),
        "audit": ListedCommand(
            "commands.audit:audit", "List all changes, and verify the audit trail."
        ),
    },
    "The store": {
        "stats": ListedCommand(
            "commands.store:stats", "Show how much is stored, and how large the store is."
        ),
        "backup": ListedCommand(
            "commands.backups:backup", "Write a verified backup of the memory into FOLDER."
        ),
        "restore": ListedCommand(
            "commands.backups:restore", "Restore BACKUP to the memory that --db names."
        ),
        "export": ListedCommand(
            "commands.exports:export", "Write one snapshot of the memory to FILE."
        ),
        "import": ListedCommand(
            "commands.imports:import_file",
            "Import FILE, an export or a file of another program.",
        ),
        "copy": ListedCommand(
            "commands.store:copy", "Copy the memory SOURCE to TARGET, and compare the two."
        ),
        "encrypt": ListedCommand(
            "commands.encryption:encrypt",
            "Encrypt the file with the key that the setting `key` names.",
        ),
        "decrypt": ListedCommand(
            "commands.encryption:decrypt",
            "Decrypt the file, which the setting `key` opens.",
        ),
    },
    "Upkeep of the store": {
        "doctor": ListedCommand(
            "commands.doctor:doctor", "Examine the memory, and name a remedy for each problem."
        ),
        "repair": ListedCommand(
            "commands.repair:repair",
            "Rebuild what is derived, or salvage a damaged file.",
        ),
        "maintain": ListedCommand(
            "commands.upkeep:maintain",
            "Remove what outlived its retention, and tend the store.",
        ),
        "reembed": ListedCommand(
            "commands.store:reembed", "Embed every passage and decision with the chosen embedder."
        ),
        "distribute": ListedCommand(
            "commands.store:distribute", "Distribute the tables of DATABASE over a Citus cluster."
        ),
        "rekey": ListedCommand(
            "commands.encryption:rekey",
            "Encrypt the file with another key, which is at SOURCE.",
        ),
    },
    "This program": {
        "demo": ListedCommand("demo.command:demo", "Take a short tour in a temporary file."),
        "completion": ListedCommand(
            "commands.completion:completion", "Write the script that completes commands in SHELL."
        ),
    },
}
"""The commands of each panel, in the order of the help."""
COMMANDS = {name: each for panel in PANELS.values() for name, each in panel.items()}
