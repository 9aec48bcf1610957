// Uses a finished report as a reader would, then tells the page around it what it saw.
window.addEventListener("load", () => {
  const table = document.getElementById("claims-table");
  const status = document.querySelector(".filters [role=status]");
  const shown = () =>
    [...table.tBodies[0].rows]
      .filter((row) => row.getBoundingClientRect().height > 0)
      .map((row) => row.dataset.id);
  const heading = (name) =>
    [...table.tHead.rows[0].cells].find((cell) => cell.textContent === name);
  const sorted = (name) => {
    heading(name).querySelector("button").click();
    return [shown(), heading(name).getAttribute("aria-sort")];
  };
  const filtered = (name, value) => {
    const control = document.querySelector(`[data-filter=${name}]`);
    control.value = value;
    control.dispatchEvent(new Event("input"));
    const result = [shown(), status.textContent];
    control.value = "";
    control.dispatchEvent(new Event("input"));
    return result;
  };
  const focused = (element) => {
    element.focus();
    return document.activeElement === element;
  };

  const seen = {
    images: [...document.images].map((image) => [image.alt, image.naturalWidth]),
    headings: [...document.querySelectorAll("h3")].map((each) => each.textContent),
    // Whether the verdict of the first claim is within the frame of its table, unscrolled.
    verdict: (() => {
      const frame = table.closest(".scroll").getBoundingClientRect();
      const chip = table.querySelector(".verdict").getBoundingClientRect();
      return chip.width > 0 && chip.left >= frame.left && chip.right <= frame.right;
    })(),
    // Smallest ratio of the size of a figure on the page to the size of its drawing.
    scale: Math.min(
      ...[...document.images].map((image) => image.clientWidth / image.getAttribute("width")),
    ),
    tables: [...document.querySelectorAll("section table")].map((each) => each.rows.length),
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    asWritten: shown(),
    ours: sorted("ours"),
    oursAgain: sorted("ours"),
    byClaim: sorted("claim"),
    oursNoLonger: heading("ours").getAttribute("aria-sort"),
    differs: filtered("verdict", "differs"),
    davis: filtered("source", "Davis and Goadrich"),
    words: filtered("text", "AUC-PR  few"),
    nothing: filtered("text", "nowhere"),
    reachable: [...document.querySelectorAll("thead button, .filters :is(input, select)")].every(
      focused,
    ),
  };
  document.querySelector('a[data-verdict="holds"]').click();
  seen.holding = shown();
  parent.postMessage(JSON.stringify(seen), "*");
});
