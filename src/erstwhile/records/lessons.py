"""The collection `memory.lessons`: rules that the agent learned; the most useful are kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.core.ids import MAX_ID, id_in_cursor
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Params
from erstwhile.core.results import Page, checked_limit, cut_page
from erstwhile.core.text import checked_text, fingerprint
from erstwhile.core.time import Moment, past_moment
from erstwhile.records.model import MAX_LESSONS, MAX_RULE, Lesson, checked_domain, surplus
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import RecordCollection, scope_for_new
from erstwhile.storage.table import EITHER, RecordTable, kept, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class LessonTable(RecordTable[Lesson]):
    """The table of lessons, which are in the search index."""

    noun = "lesson"
    name = "lessons"
    row_type = RowType(Lesson, "lesson")
    searched = TextKind.LESSONS

    def derived(self, item: Lesson) -> dict[str, Any]:
        return {"fingerprint": fingerprint(item.rule, None), "usefulness": item.usefulness}

    def text(self, item: Lesson) -> str:
        return item.searched


LESSONS = LessonTable()
_FIRST: Params = {"general": -1, "usefulness": 0.0, "before": MAX_ID}
"""The start of a list: the position before its first lesson."""


class Lessons(RecordCollection[Lesson], noun="lesson"):
    """Lessons by domain. Lessons of a project come before general ones."""

    _table = LESSONS

    def add(self, domain: str, rule: str, *, at: Moment | None = None) -> Lesson:
        """Add a rule, or reinforce the stored lesson with the same rule, even a deleted one.

        `at` is when it was learned, if not now. A scope keeps ten lessons of each domain. If there
        are more, the least useful is deleted.
        """
        place, text = checked_domain(domain), checked_text(rule, name="rule", limit=MAX_RULE)

        def add(unit: Unit) -> Lesson:
            scope = unit.scope_id(scope_for_new(unit.viewer, "add a lesson"))
            learned_at = past_moment(at, now=unit.now, name="at")
            same = {"scope": scope, "domain": place, "fingerprint": fingerprint(text, None)}
            found = LESSONS.select(unit, "find_lesson", same)
            if found:
                again = replace(
                    found[0],
                    occurrences=found[0].occurrences + 1,
                    learned_at=max(found[0].learned_at, learned_at),
                    deleted_at=None,
                )
                lesson = LESSONS.change(unit, found[0], again, "reinforce")
            else:
                new = Lesson(domain=place, rule=text, learned_at=learned_at, **new_head(unit))
                lesson = LESSONS.add(unit, new, "add")
            _drop_surplus(unit, lesson)
            return lesson

        return self._access.change(add)

    def list(
        self,
        *,
        domain: str | None = None,
        deleted: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Lesson]:
        """List lessons: those of a project, then general ones; the most useful first."""
        size = checked_limit(limit)
        of_domain = None if domain is None else checked_domain(domain)

        def page(view: View) -> Page[Lesson]:
            after = _FIRST if cursor is None else _position_after(view, cursor)
            params = {**after, "domain": of_domain, "limit": size + 1}
            found = LESSONS.select(view, "list_lessons", params, kept(deleted))
            return cut_page(found, size, lambda lesson: lesson.id)

        return self._access.ask(page)

    def delete(self, id: str, *, reason: str | None = None) -> Lesson:
        """Hide a lesson, until it is restored, added again or purged."""
        return super().delete(id, reason=reason)

    def restore(self, id: str, *, reason: str | None = None) -> Lesson:
        """Restore a deleted lesson. If its domain is full, delete the least useful other one."""

        def make_room(unit: Unit, lesson: Lesson) -> None:
            if _drop_surplus(unit, lesson):
                unit.tick()

        return LESSONS.restore(self._access, id, reason, make_room)


def add_if_new(
    unit: Unit, domain: str, rule: str, occurrences: int, learned_at: datetime
) -> Lesson | None:
    """Add a lesson; None if it is stored or was deleted, or if its domain is full."""
    scope = unit.scope_id(scope_for_new(unit.viewer, "add a lesson"))
    text = checked_text(rule, name="rule", limit=MAX_RULE)
    same = {"scope": scope, "domain": domain, "fingerprint": fingerprint(text, None)}
    present = LESSONS.select(unit, "lessons_of_domain", {"scope": scope, "domain": domain})
    if len(present) >= MAX_LESSONS or LESSONS.select(unit, "find_lesson", same):
        return None
    head = new_head(unit)
    new = Lesson(domain=domain, rule=text, occurrences=occurrences, learned_at=learned_at, **head)
    return LESSONS.add(unit, new, "add")


def _drop_surplus(unit: Unit, newest: Lesson) -> bool:
    """Delete the surplus lessons of the domain, and return whether there were any.

    `newest` counts as present, even if it is about to be restored.
    """
    place = {"scope": unit.scope_id(newest.scope), "domain": newest.domain}
    present = LESSONS.select(unit, "lessons_of_domain", place)
    lessons = {lesson.id: lesson for lesson in (*present, newest)}
    least_useful = surplus(list(lessons.values()), newest.id)
    for lesson in least_useful:
        unit.tick()
        dropped = replace(lesson, deleted_at=unit.now)
        LESSONS.change(unit, lesson, dropped, "drop", "others are more useful")
    return bool(least_useful)


def _position_after(view: View, cursor: str) -> Params:
    """Return the position after the lesson whose id is the cursor."""
    id_in_cursor(cursor)  # raises the error for what is no cursor
    last = LESSONS.find(view, cursor, among=EITHER)
    general = int(last.scope.project is None)
    return {"general": general, "usefulness": last.usefulness, "before": last.id}
