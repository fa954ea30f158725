"""Words by which values in English are told apart."""

from __future__ import annotations

NOT_NAMES = frozenset((
    "a", "an", "the", "not", "on", "in", "at", "of", "is", "it", "this", "that", "back", "later",
    "when", "if", "maybe", "again", "old", "crazy", "something", "anything", "whatever",
    "tomorrow", "today", "spelled", "spelt", "written", "pronounced", "hard", "very", "so", "too",
    "by", "for", "to", "always", "never", "up", "out", "important", "taken", "missing", "wrong",
    "unknown", "null", "undefined", "irrelevant", "none", "nobody", "and", "or", "what", "who",
    "your", "my", "sir", "madam", "stuck", "broken", "mud", "confused", "lost", "new", "tired",
    "sorry", "late", "done", "ready", "fine", "good", "here", "glad", "happy", "curious",
))  # fmt: skip
POINTING = frozenset((
    "it", "its", "it's", "that", "that's", "this", "these", "those", "them", "they", "him", "her",
    "his", "you", "your", "you're", "how", "what", "when", "where", "why", "who", "which", "if",
    "whether", "the", "there", "here", "one", "both", "neither", "either", "any", "some",
    "something", "anything", "everything", "nothing", "someone", "everyone", "more", "less",
    "most", "none", "same", "such", "another", "other", "myself", "very", "so", "too", "as",
    "and", "or", "but", "not",
))  # fmt: skip
POINTING_ANYWHERE = frozenset((
    "this", "these", "those", "it", "its", "them", "their", "theirs", "they", "he", "him", "his",
    "she", "her", "you", "your", "yours", "above", "below", "here",
))  # fmt: skip
NOT_PLACES = frozenset((
    "a", "an", "the", "my", "your", "his", "her", "their", "our", "fear", "hope", "peace",
    "denial", "hell", "heaven", "paradise", "chaos", "silence", "constant", "style", "luxury",
    "poverty", "harmony", "pain", "memory", "theory", "general", "case", "time", "touch", "love",
    "debt", "trouble", "house", "home", "flat", "apartment", "basement", "past", "present",
    "future", "moment", "same", "front", "reality", "line", "practice", "terms", "land",
    "tears", "bed", "bits", "sin", "exile", "limbo", "shame", "misery", "bliss", "squalor",
))  # fmt: skip
JOINING = frozenset((
    "of", "the", "near", "in", "de", "la", "le", "les", "del", "di", "da", "do", "dos", "das", "am",
    "an", "der", "den", "im", "upon", "on", "sur", "al", "el", "y", "e", "van", "von",
))  # fmt: skip
"""Small words in the names of places."""
NO_OCCUPATION = frozenset((
    "loser", "disaster", "monster", "hater", "winner", "beginner", "believer", "user", "member",
    "owner", "newcomer", "starter", "sucker", "bother", "number", "matter", "computer", "bummer",
    "killer", "sinner", "stranger", "foreigner", "teenager", "mother", "father", "brother",
    "sister", "daughter", "lover", "outsider", "insider", "riser", "vegetarian", "pescatarian",
    "survivor", "neighbor", "volunteer", "supporter", "hoarder", "customer", "subscriber",
    "reader", "listener", "fighter", "leader", "snorer", "sleeper", "over", "giant", "human",
    "error", "author", "visitor", "bookworm", "elephant", "savior",
))  # fmt: skip
LANGUAGES = frozenset((
    "english", "spanish", "french", "german", "italian", "portuguese", "dutch", "swedish",
    "norwegian", "danish", "finnish", "polish", "czech", "slovak", "hungarian", "romanian",
    "bulgarian", "greek", "turkish", "russian", "ukrainian", "serbian", "croatian", "arabic",
    "hebrew", "persian", "farsi", "hindi", "urdu", "bengali", "punjabi", "tamil", "telugu",
    "marathi", "gujarati", "malayalam", "kannada", "chinese", "mandarin", "cantonese", "japanese",
    "korean", "vietnamese", "thai", "indonesian", "malay", "tagalog", "swahili", "yoruba", "igbo",
    "hausa", "zulu", "amharic", "catalan", "basque", "galician", "welsh", "irish", "gaelic",
    "icelandic", "estonian", "latvian", "lithuanian", "slovenian", "albanian", "armenian",
    "georgian", "mongolian", "nepali", "esperanto",
))  # fmt: skip
IMPERATIVES = frozenset((
    "use", "write", "run", "commit", "push", "answer", "reply", "respond", "ask", "add",
    "include", "put", "keep", "make", "check", "test", "format", "explain", "start", "end",
    "show", "give", "send", "delete", "remove", "touch", "edit", "change", "modify", "deploy",
    "merge", "create", "call", "address", "speak", "tell", "mention", "avoid", "prefer", "follow",
    "document", "name", "assume", "do", "be", "round", "cite", "translate", "save", "store",
    "share", "open", "close", "install", "log", "print", "return", "sign", "book", "order",
    "suggest", "recommend", "skip", "squash", "rebase", "work", "wait", "read", "say",
    "summarise", "summarize", "quote", "link", "confirm", "verify", "validate", "update", "leave",
    "let", "set", "pin", "wrap", "indent", "sort", "import", "mock", "stop", "schedule",
    "convert", "display", "list", "provide", "refer", "treat", "try", "build", "release",
    "review", "rename", "move", "copy", "pick", "choose", "sync", "back", "restart", "reboot",
    "lint", "stick",
))  # fmt: skip
SAYINGS = frozenset({("give", "up"), ("say", "never"), ("say", "die"), ("be", "afraid")})
TOOLS = frozenset((
    "python", "java", "javascript", "typescript", "kotlin", "rust", "go", "ruby", "php", "swift",
    "scala", "elixir", "vim", "neovim", "emacs", "vscode", "zed", "linux", "arch", "ubuntu",
    "fedora", "debian", "nixos", "macos", "mac", "windows", "android", "ios", "iphone",
    "kubernetes", "docker", "aws", "azure", "gcp", "hetzner", "vercel", "netlify", "react", "vue",
    "svelte", "angular", "node", "deno", "bun", "django", "flask", "rails", "spring", "postgres",
    "mysql", "sqlite", "redis", "kafka", "github", "gitlab", "bitbucket", "slack", "discord",
    "zoom", "telegram", "signal", "twitter", "reddit", "mastodon", "notion", "obsidian", "jira",
    "firefox", "chrome", "safari", "npm", "pnpm", "yarn", "uv", "code", "meetings",
    "spreadsheets", "terminal", "slides", "poetry", "terraform", "ansible", "excel", "production",
    "staging",
))  # fmt: skip
"""What people move to or join without living or working there."""
