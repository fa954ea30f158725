"""Measure the CPU time of masking texts of 10 KB, of several kinds.

python -m bench.masking
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from random import Random

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

from erstwhile.secrets.masking import mask_text

SIZE = 10_000
ROUNDS = 100
_ROOT = Path(__file__).parents[1]
_SAID = {
    "German": "Gestern haben wir über das neue Fenster gesprochen. Der Nutzer wohnt in München "
    "und hat zwei Katzen, die das ganze Jahr draußen sind. Das Passwort ändert er einmal im Jahr. ",
    "Russian": "Вчера мы говорили о новой функции. Пользователь живёт в Москве, и у него две "
    "кошки. Весной он уезжает на дачу, а пароль меняет раз в год. ",
    "Chinese": "今天我们讨论了项目的进展，用户希望系统能够记住他的偏好。他喜欢喝绿茶，"
    "住在上海，在一家软件公司工作，周末常去爬山。密码每年更换一次。",
    "Japanese": "昨日は会議で新しい機能について話し合いました。ユーザーは東京に住んでいて、"
    "猫を二匹飼っています。パスワードは毎年変更します。来週までにレポートを提出します。",
    "Korean": "어제 회의에서 새로운 기능에 대해 이야기했습니다. 사용자는 서울에 살고 고양이 "
    "두 마리를 키웁니다. 비밀번호는 매년 바꿉니다. 주말에는 산에 갑니다. ",
}


def ordinary() -> dict[str, str]:
    """Return texts as agents store them, by kind."""
    random = Random(4)
    rows = [
        {"id": random.randbytes(16).hex(), "name": "Ana", "tokens": random.randint(1, 999),
         "url": f"https://example.com/orders/{place}?page=1", "made": "2026-11-17T08:31:51Z"}
        for place in range(90)
    ]  # fmt: skip
    log = (
        f"2026-11-17T08:31:{each % 60:02d}Z INFO [worker-{each % 8}] GET /api/v1/users/{each} 200 "
        f"{random.randint(1, 900)}ms trace={random.randbytes(16).hex()}"
        for each in range(90)
    )
    return {
        "English": _cut((_ROOT / "docs/explanation/trust.md").read_text("utf-8")),
        "code": _cut((_ROOT / "src/erstwhile/memory.py").read_text("utf-8")),
        "JSON": _cut(json.dumps(rows, indent=1)),
        "logs": _cut("\n".join(log)),
        **{language: _cut(text) for language, text in _SAID.items()},
    }


def dense() -> dict[str, str]:
    """Return texts of which each line may be a secret, by kind."""
    random = Random(4)
    return {
        "base64": _cut("\n".join(b64encode(random.randbytes(57)).decode() for _ in range(140))),
        "talk of passwords": _cut(
            "Please reset your password by Friday. The token expires after an hour, and if you "
            "forget your passphrase, ask the admin for a new key. The secret is good tea. "
        ),
        "secrets": _cut(
            "\n".join(
                f"export KEY_{each}=sk-proj-{random.randbytes(24).hex()}\npassword: hunter{each}x!"
                for each in range(120)
            )
        ),
    }


def _cut(text: str) -> str:
    """Return 10 KB of a text, which is repeated if it is shorter."""
    data = text.encode()
    return (data * (SIZE // len(data) + 1))[:SIZE].decode("utf-8", "ignore")


def costs(texts: Mapping[str, str]) -> dict[str, float]:
    """Return milliseconds of CPU time, the best of many rounds: others use the machine, too."""
    best = dict.fromkeys(texts, float("inf"))
    for _ in range(ROUNDS):
        for kind, text in texts.items():
            began = time.process_time()
            mask_text(text)
            best[kind] = min(best[kind], (time.process_time() - began) * 1e3)
    return best


if __name__ == "__main__":
    for kind, taken in costs({**ordinary(), **dense()}).items():
        print(f"{kind:20} {taken:.2f} ms")
