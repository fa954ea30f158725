import re

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)\]*])\s+|(?<=[。！？；])[”’」』）]*\s*|\n\s*")
U = re.compile(f"[{_UNSPACED}]")


def split(text, size=300, most=None):
    most = most or size * 2
    n = len(text)
    if n <= size:
        return [(0, n)] if n else []
    scale = 1
    if not text.isascii():
        cj = len(U.findall(text))
        scale = 1 + 1.5 * cj / n  # wide share
    size = int(size / scale)
    most = int(most / scale)
    ends = [m.end() for m in END.finditer(text)]
    if not ends or ends[-1] != n:
        ends.append(n)
    units = []
    s = 0
    for e in ends:
        while e - s > most:
            cut = text.rfind(" ", s + most // 2, s + most) + 1 or s + most
            units.append((s, cut))
            s = cut
        if e > s:
            units.append((s, e))
        s = e
    out = []
    start = units[0][0]
    end = start
    for a, b in units:
        if end > start and (
            b - start > size * 1.3
            or end - start >= size
            or (end - start >= size // 2 and text[a] == "#")
        ):
            out.append((start, end))
            start = a
        end = b
    if out and end - start < size // 3 and end - out[-1][0] <= most:
        out[-1] = (out[-1][0], end)
    else:
        out.append((start, end))
    return out
