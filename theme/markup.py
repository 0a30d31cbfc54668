"""The finishing touches on a page's HTML. Knows nothing of the site generator."""

import re
from html import escape, unescape
from zlib import crc32

from latex2mathml.converter import convert

SCHEME = "@media (prefers-color-scheme:dark){"
BLOCKS = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
NAMES = "n|w|p|o|nn|nf|nb|nc|bp|ow|ne|fm|vm|nd"  # Pygments' short words for names and signs
FUNCTION = r"(?:<msup>)?<mi>[a-z]{2,}</mi>(?:<mn>\d+</mn></msup>)?"  # tanh, or tanh squared
ROW = re.compile(r"<tr>\s*<td><code>.*?</tr>", re.DOTALL)


def formulas_to_mathml(html: str) -> str:
    """Replace the formulas that arithmatex has marked in a page by MathML."""

    def mathml(match: re.Match) -> str:
        inline, formula = match[1] == "span", unescape(match[2])
        formula = formula.strip()[2:-2]  # \\( … \\) or \\[ … \\]
        markup = convert(formula, display="inline" if inline else "block")
        markup = markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
        return unescaped(around_functions(markup))

    pattern = r'<(span|div) class="arithmatex">(.*?)</\1>'
    return re.sub(pattern, mathml, html, flags=re.DOTALL)


def around_functions(markup: str) -> str:
    """Thin spaces around a function's name, as TeX sets them: o tanh c and not otanhc."""
    space = '<mspace width="0.17em"/>'
    markup = re.sub(rf"({FUNCTION})(?=<m(?!o))", rf"\1{space}", markup)
    return re.sub(rf"(</m(?:[in]|su[bp]|row)>)(?={FUNCTION})", rf"\1{space}", markup)


def unescaped(markup: str) -> str:
    """Signs as themselves, except those that are markup."""
    return re.sub(
        r"&#x0*([0-9A-Fa-f]+);",
        lambda match: sign if (sign := chr(int(match[1], 16))) not in "<>&" else match[0],
        markup,
    )


def following_the_site(style: str) -> str:
    """A picture's style sheet, dark where the site is dark rather than where the system is."""
    return style.replace(SCHEME, "[data-md-color-scheme=slate]{").strip()


def lighter(html: str) -> str:
    """The same page in fewer bytes: no indentation; in code, strings, numbers, keywords and
    comments are marked, each string once, and names are not.
    """
    html = re.sub(rf'<span class="(?:{NAMES})">([^<]*)</span>|<span></span>', r"\1", html)
    html = re.sub(r'<span class="([skm])[a-z12]">', r'<span class="\1">', html)
    html = re.sub(r'(?:<span class="s">[^<]*</span>)+', one_string, html)
    html = re.sub(r'(<a class="headerlink"[^>]*?) title="[^"]*"', r"\1", html)
    html = re.sub(r'<td class="linenos">.*?</td>', "", html, flags=re.DOTALL)
    html = re.sub(r"<!--(?!\[).*?-->", "", html, flags=re.DOTALL)
    parts = BLOCKS.split(html)
    # BLOCKS has two groups: text, block, tag name, text, …
    return "".join(
        part if index % 3 == 1 else re.sub(r"\s*\n\s*", "\n", part)
        for index, part in enumerate(parts)
        if index % 3 != 2
    )


def one_string(parts: re.Match) -> str:
    return f'<span class="s">{re.sub("<[^>]*>", "", parts[0])}</span>'


def dialogs_named(html: str, name: str) -> str:
    """Give every dialog that has no name this one: a screen reader says it on opening."""
    return re.sub(
        r'(<[^>]*role="dialog")(?![^>]*aria-label)', rf'\1 aria-label="{escape(name)}"', html
    )


def rows_addressed(html: str) -> tuple[str, list[dict[str, str]]]:
    """Give each table row that begins with code an address of its own, which its text decides.

    Returns:
        The page, and for each row what a search needs: `id`, `title` and `text`. The rows' text
        is marked so that a search does not find the whole table instead.
    """
    rows: list[dict[str, str]] = []
    taken: set[str] = set()

    def addressed(match: re.Match) -> str:
        cells = re.findall(r"<td>(.*?)</td>", match[0], re.DOTALL)
        first, rest = plain(cells[0]), [plain(cell) for cell in cells[1:]]
        if re.fullmatch(r"None|\[\]|zeros|NaN", first):  # begins many rows: the next cell differs
            first = f"{first}: {rest.pop(0)}"
        name = crc32(first.encode())  # short: a large page has hundreds of rows
        while (row := f"row-{name % 0x100000:05x}") in taken:
            name += 1
        taken.add(row)
        rows.append({"id": row, "title": first, "text": " · ".join(rest)})
        return f'<tr id="{row}" data-search-exclude="1">{match[0][len("<tr>") :]}'

    return ROW.sub(addressed, html), rows


def plain(html: str) -> str:
    """The text of a piece of HTML, on one line."""
    return " ".join(unescape(re.sub(r"<br ?/?>", "; ", re.sub(r"<(?!br)[^>]+>", "", html))).split())
