() => {
    for (const each of document.querySelectorAll("#data [aria-expanded=false].toggle"))
        each.click();
}
