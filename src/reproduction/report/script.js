(() => {
  "use strict";

  const collator = new Intl.Collator("en", { numeric: true });

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim();
  };

  const toNumber = (text) => Number(text.replaceAll(",", ""));

  const compare = (a, b) => {
    const difference = toNumber(a) - toNumber(b);
    return Number.isNaN(difference) ? collator.compare(a, b) : difference;
  };

  const sortBy = (table, column, direction) => {
    const body = table.tBodies[0];
    const sign = direction === "descending" ? -1 : 1;
    const isEmpty = (row) => valueOf(row, column) === "";
    const rows = [...body.rows].sort(
      (a, b) =>
        isEmpty(a) - isEmpty(b) || sign * compare(valueOf(a, column), valueOf(b, column)),
    );
    body.append(...rows);
  };

  const makeSortable = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const isAscending = heading.getAttribute("aria-sort") === "ascending";
        const direction = isAscending ? "descending" : "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", direction);
        sortBy(table, column, direction);
      });
    });
  };

  const makeFilterable = (table, filters) => {
    const [source, verdict, text] = ["source", "verdict", "text"].map((name) =>
      filters.querySelector(`[data-filter="${name}"]`),
    );
    const status = filters.querySelector('[role="status"]');
    const rows = [...table.tBodies[0].rows];

    const matches = (row, words) =>
      (!source.value || row.dataset.source === source.value) &&
      (!verdict.value || row.dataset.verdict === verdict.value) &&
      words.every((word) => row.textContent.toLowerCase().includes(word));

    const apply = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => {
        row.hidden = !matches(row, words);
      });
      const shown = rows.filter((row) => !row.hidden).length;
      status.textContent = `${shown} of ${rows.length} shown`;
    };

    [source, verdict, text].forEach((control) => control.addEventListener("input", apply));
    document.querySelectorAll("a[data-verdict]").forEach((link) =>
      link.addEventListener("click", () => {
        source.value = text.value = "";
        verdict.value = link.dataset.verdict;
        apply();
      }),
    );
    filters.hidden = false;
    apply();
  };

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  makeFilterable(document.getElementById("claims-table"), document.querySelector(".filters"));
})();
