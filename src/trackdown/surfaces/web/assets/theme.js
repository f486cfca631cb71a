// Runs before the first paint, so that a chosen theme never flashes.
(() => {
  try {
    const theme = localStorage.getItem("trackdown.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    /* storage may be forbidden: then the system decides */
  }
})();
