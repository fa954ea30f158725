"""Questions of public sets, answered by a language model from memory and judged by another."""
