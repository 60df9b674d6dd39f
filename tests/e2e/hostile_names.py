"""Names that mean harm to a page which shows them."""

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
