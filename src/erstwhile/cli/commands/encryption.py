"""`erstwhile encrypt`, `decrypt` and `rekey`: whether a file is encrypted, and with which key."""

from __future__ import annotations

import click

import erstwhile
from erstwhile.cli.call import Call, working
from erstwhile.core.errors import InvalidInputError


@click.command()
@click.pass_obj
def encrypt(call: Call, /) -> None:
    """Encrypt the file with the key that the setting `key` names.

    Stop all programs that use it. The plain file is replaced when the encrypted one was checked.

    \b
    Examples:
      erstwhile --db agent.db encrypt
    """
    file = call.location  # that of a server is refused whether there is a key or not
    if not call.settings.key:
        raise InvalidInputError("there is no key", remedy="set ERSTWHILE_KEY, such as file:PATH")
    _rekey(call, file, "", call.settings.key, "Encrypted")


@click.command()
@click.pass_obj
def decrypt(call: Call, /) -> None:
    """Decrypt the file, which the setting `key` opens.

    Stop all programs that use it. Unset `key` afterwards.

    \b
    Examples:
      erstwhile --db agent.db decrypt
    """
    _rekey(call, call.location, call.settings.key, "", "Decrypted")


@click.command()
@click.argument("new_key", metavar="SOURCE")
@click.pass_obj
def rekey(call: Call, /, new_key: str) -> None:
    """Encrypt the file with another key, which is at SOURCE.

    SOURCE is file:PATH, env:VARIABLE or keyring:SERVICE/NAME. Stop all programs that use the
    memory, and set `key` to SOURCE afterwards.

    \b
    Examples:
      erstwhile --db agent.db rekey file:new.key
    """
    _rekey(call, call.location, call.settings.key, new_key, "Encrypted with the new key")


def _rekey(call: Call, file: str, old: str, new: str, told: str) -> None:
    with working("Copying and checking…"):
        erstwhile.rekey(file, old_key=old, new_key=new)
    call.out.done(f"{told}: {file}", {"path": file, "encrypted": bool(new)})
