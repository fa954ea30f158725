"""Decide whether a turn may contain something to remember, before a language model is asked.

A needless call costs little, but a missed fact is lost. So every turn is salient, in any language
and of any length, unless it is known to be empty: greetings, thanks, short answers to no question,
questions without a statement, and pasted code or logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from erstwhile.conversations.conversation import Role
from erstwhile.core.memory_markers import without_memory
from erstwhile.learning.moods import mood_of
from erstwhile.learning.prose import is_machine_text, without_code
from erstwhile.learning.turn import Turn


@dataclass(frozen=True, slots=True)
class Salience:
    """Whether a turn may contain something to remember; `reason` names the rule that decided."""

    durable: bool
    reason: str


_SENTENCE = re.compile(
    r"[^.!?。！？…;；।؟\n]+(?:[.](?=\S)[^.!?。！？…;；।؟\n]*)*[.!?。！？…;；।؟\n]*"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION = re.compile(r"[?？؟]\W*$|(?:[吗嗎]|ですか|ますか)\W*$")
_CLAUSES = re.compile(r"[,，、،:：—–]")
_SMALL_TALK = frozenset((
    "hi", "hello", "hey", "hiya", "howdy", "yo", "greetings", "welcome", "good", "morning",
    "afternoon", "evening", "night", "day", "thanks", "thank", "thx", "ty", "cheers", "you", "so",
    "very", "much", "many", "lot", "a", "that", "this", "it", "is", "was", "works", "worked",
    "helps", "helped", "helpful", "great", "perfect", "nice", "cool", "awesome", "excellent",
    "wonderful", "brilliant", "amazing", "lovely", "super", "bye", "goodbye", "see", "later",
    "soon", "yes", "yeah", "yep", "yup", "no", "nope", "nah", "ok", "okay", "k", "kk", "sure",
    "right", "correct", "exactly", "agreed", "fine", "alright", "indeed", "absolutely",
    "definitely", "please", "go", "ahead", "continue", "done", "got", "understood", "sorry",
    "lol", "haha", "hmm", "oh", "ah", "wow", "well", "there", "all", "everyone", "again",
    "sounds", "looks", "hallo", "guten", "tag", "morgen", "abend", "danke", "schön", "sehr",
    "vielen", "dank", "bitte", "ja", "nein", "genau", "tschüss", "alles", "klar", "bonjour",
    "salut", "bonsoir", "merci", "beaucoup", "bien", "oui", "non", "accord", "au", "revoir",
    "d'accord", "parfait", "hola", "buenos", "buenas", "días", "dias", "tardes", "noches",
    "gracias", "muchas", "sí", "si", "adiós", "vale", "claro", "perfecto", "olá", "ola", "oi",
    "bom", "dia", "boa", "tarde", "noite", "obrigado", "obrigada", "sim", "não", "tchau", "ciao",
    "buongiorno", "buonasera", "grazie", "mille", "prego", "certo", "va", "bene", "hoi",
    "goedemorgen", "je", "wel", "bedankt", "nee", "prima", "привет", "здравствуйте", "спасибо",
    "большое", "да", "нет", "хорошо", "ладно", "пока", "ок", "안녕", "안녕하세요", "감사합니다",
    "고마워", "고마워요", "네", "예", "아니요", "아니", "응", "좋아요", "알겠습니다",
))  # fmt: skip
_SMALL_TALK_UNSPACED = (
    "你好", "您好", "大家好", "嗨", "哈喽", "早上好", "早安", "早", "下午好", "晚上好", "晚安",
    "谢谢", "多谢", "感谢", "辛苦", "麻烦", "不客气", "没事", "没关系", "没问题", "再见", "拜拜",
    "回头见", "好的", "好", "行", "可以", "对", "是的", "是", "不是", "不", "不用", "没有", "没",
    "嗯", "恩", "哦", "噢", "额", "明白", "知道", "收到", "了解", "懂", "继续", "太棒", "太好",
    "棒", "厉害", "牛", "不错", "完美", "哈", "呵", "当然", "你们", "你", "您", "了", "啊", "呀",
    "啦", "吧", "哒", "的", "呢", "嘛", "很", "真", "こんにちは", "こんばんは", "おはよう",
    "ございます", "ありがとう", "どうも", "はい", "いいえ", "うん", "ええ", "わかりました",
    "お願いします", "です", "ね", "よ", "สวัสดี", "ขอบคุณ", "ครับ", "ค่ะ", "ใช่", "ไม่",
)  # fmt: skip
_UNSPACED_TALK = re.compile(
    # Longest first and possessive, so that "不是" repeated many times does not take for ever.
    f"(?:{'|'.join(sorted(_SMALL_TALK_UNSPACED, key=len, reverse=True))})++"
)
_ASSENT = frozenset((
    "yes", "yeah", "yep", "yup", "no", "nope", "nah", "ok", "okay", "sure", "right", "correct",
    "exactly", "agreed", "indeed", "absolutely", "definitely", "ja", "nein", "genau", "klar", "oui",
    "non", "d'accord", "sí", "si", "claro", "vale", "sim", "não", "certo", "nee", "да", "нет",
    "네", "예", "아니요", "아니", "응",
))  # fmt: skip
_ASSENT_UNSPACED = re.compile("是的|是|对|好|可以|行|不|没有|嗯|当然|はい|いいえ|うん|ええ|ใช่|ไม่")
_ASKED_TO_KEEP = re.compile(
    r"\b(?:remember|remind|note|keep in mind|forget|from now on|always|never|merke?n?|vergiss"
    r"|recuerda|acuérdate|retiens|souviens|lembra|lembre|ricorda|onthoud|запомни|помни)\b"
    r"|记住|记得|记下|记一下|别忘|以后|覚えて|忘れないで|기억",
    re.IGNORECASE,
)
_ASKING = (
    "do", "did", "can", "could", "should", "shall", "will", "would", "may", "must", "am", "are",
    "was", "were", "have", "had", "don't", "can't",
)  # fmt: skip
_SAYS_OF_SELF = re.compile(
    # "when I use pnpm", but not "can I use pnpm"; in Chinese, Japanese, Korean all but short texts
    "".join(rf"(?<!\b{word} )" for word in _ASKING)
    + r"\b(?:i|we|i'm|i've|we're|we've)\s+\w|[我私僕俺].{9}|.{9}[我私僕俺]"
    r"|[가-힣].{20}",
    re.IGNORECASE,
)
_LONG_QUESTION = 200
"""A question of this length probably contains a statement."""
_PROMISE = re.compile(
    r"\b(?:i['’]ll|i will|i['’]ve|i have)\b.{0,20}\b(?:remember|note|noted|saved?|keep)\b"
    r"|\bnoted\b|\bfrom now on\b|记住|记下|以后|覚え|기억",
    re.IGNORECASE,
)


def salience(turn: Turn) -> Salience:
    """Judge the lines of the user, then look for a promise of the assistant."""
    empty = Salience(False, "nothing said")
    for line in turn.lines:
        if line.role is Role.USER:
            judged = _judge(line.text)
            if judged.durable:
                return judged
            empty = judged if judged.reason != "nothing said" else empty
    if _PROMISE.search(without_memory(turn.spoken_by(Role.ASSISTANT))):
        return Salience(True, "promise")
    return Salience(True, "answer to a question") if _answers(turn) else empty


def _answers(turn: Turn) -> bool:
    """Return whether the user says yes or no to a question at the end of the line before."""
    asked = [line.text for line in turn.before if line.role is Role.ASSISTANT]
    if not asked or not _QUESTION.search(asked[-1][-_LONG_QUESTION:]):
        return False
    said = without_memory(turn.spoken_by(Role.USER))
    words = {word.lower().replace("’", "'") for word in _WORD.findall(said)}
    return not words.isdisjoint(_ASSENT) or _ASSENT_UNSPACED.match(said.strip()) is not None


def _judge(text: str) -> Salience:
    """Judge one message; the first sentence with content decides."""
    said = _WORD.search(without_memory(text))
    reason = "code or logs only" if said else "nothing said"
    for sentence in _sentences(text):
        reason = _emptiness(sentence)
        if not reason:
            return Salience(True, "statement")
        if reason == "question" and (statement := _statement_in_question(sentence)):
            return Salience(True, statement)
    return Salience(False, reason)


def _sentences(text: str) -> Iterator[str]:
    # A block of code without an end may not be a block, so it is read.
    said = without_memory(text) if text.count("```") % 2 else without_code(text)
    lines = said.split("\n")
    pasted = {line for line in lines if line.strip() and is_machine_text(line)}
    if len(pasted) > 1:  # a single line of this kind may be a sentence
        lines = [line for line in lines if line not in pasted]
    for line in lines:
        yield from (found[0] for found in _SENTENCE.finditer(line) if _WORD.search(found[0]))


def is_small_talk(sentence: str) -> bool:
    """Return whether a sentence is a greeting, thanks or a short answer, and says nothing else."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    return all(word in _SMALL_TALK or _UNSPACED_TALK.fullmatch(word) for word in words)


def _emptiness(sentence: str) -> str:
    """Return why a sentence is empty; an empty text if it may have content."""
    if is_small_talk(sentence):
        return "small talk"
    if _QUESTION.search(sentence):
        return "question"
    return ""


def _statement_in_question(sentence: str) -> str:
    """Return the rule that finds a statement in a question; an empty text if none does."""
    if _ASKED_TO_KEEP.search(sentence):
        return "asked to keep"
    if _SAYS_OF_SELF.search(sentence):
        return "statement in a question"
    if len(sentence) > _LONG_QUESTION:
        return "long question"
    before = _CLAUSES.split(sentence)[:-1]
    statement = [clause for clause in before if _WORD.search(clause) and not _emptiness(clause)]
    if statement or mood_of(sentence, 0, len(sentence)) is None:
        return "statement before a question"
    return ""
