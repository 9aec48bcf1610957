// Accessible names that the theme and the notebook extension leave out, or that hide the visible text.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("summary")) {
    if (summary.textContent.trim()) summary.removeAttribute("aria-label");
    else summary.ariaLabel = "Pages of this section";
  }
});
