"""The result of an examination: one finding for each check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from erstwhile.core.errors import ErstwhileError
from erstwhile.secrets.masking import masked_repr


class Health(StrEnum):
    """How a check ended. `skipped`: it could not be made, or there is nothing to check."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    SKIPPED = "skipped"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """The result of one check, and what to do about it."""

    name: str
    health: Health
    detail: str
    remedy: str = ""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All findings of an examination."""

    checks: tuple[HealthCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is broken. Warnings do not count."""
        return all(each.health is not Health.PROBLEM for each in self.checks)


class Complaint(Exception):  # noqa: N818  # it ends a check, and is no failure of the program
    """What a check found wrong."""

    def __init__(self, detail: str, remedy: str, health: Health = Health.PROBLEM) -> None:
        super().__init__(detail)
        self.detail, self.remedy, self.health = detail, remedy, health


def warn(detail: str, remedy: str) -> Complaint:
    return Complaint(detail, remedy, Health.WARNING)


def skip(detail: str) -> Complaint:
    return Complaint(detail, "", Health.SKIPPED)


def examined(check: str, run: Callable[[], str]) -> HealthCheck:
    """Run one check. It returns what is well, or raises what is wrong."""
    try:
        return HealthCheck(name=check, health=Health.OK, detail=run())
    except Complaint as found:
        return HealthCheck(
            name=check, health=found.health, detail=found.detail, remedy=found.remedy
        )
    except ErstwhileError as error:
        return HealthCheck(
            name=check, health=Health.PROBLEM, detail=error.message, remedy=error.remedy
        )
