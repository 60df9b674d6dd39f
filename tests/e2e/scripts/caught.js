() => [...window.caught ?? ["no trap"],
    ...document.documentElement.scrollWidth > innerWidth ? ["too wide"] : []]
