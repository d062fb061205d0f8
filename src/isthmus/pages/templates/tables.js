(() => {
  "use strict";
  // A click on the head of a column sorts by it, a second click reverses the order, and a third one
  // restores the order of the page. Rows of the class "summary" stay at the end.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const all = [...body.rows];
    const summary = all.filter((row) => row.classList.contains("summary"));
    const rows = all.filter((row) => !summary.includes(row));
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      // A column without a name has nothing to click on.
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      const numbers = head.classList.contains("number");
      // Numbers start with the largest, names with the first of the alphabet.
      const orders = numbers ? ["descending", "ascending"] : ["ascending", "descending"];
      button.addEventListener("click", () => {
        const next = orders[orders.indexOf(head.getAttribute("aria-sort")) + 1];
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (next) head.setAttribute("aria-sort", next);
        body.append(...(next ? [...sorted(rows, column, numbers, next), ...summary] : all));
      });
    });
  }

  function leadingNumber(text) {
    const match = /^[<>\s]*([+\-\u2212]?(\d[\d,]*(\.\d*)?|\.\d+)(e[+-]?\d+)?)/i.exec(text);
    return match ? Number(match[1].replaceAll(",", "").replace("\u2212", "-")) : null;
  }

  function sorted(rows, column, numbers, order) {
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => {
      const cell = row.cells[column];
      const text = cell?.dataset.value ?? cell?.textContent ?? "";
      return numbers ? leadingNumber(text) : text;
    };
    return rows.slice().sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      // Rows without a number are last in both orders.
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (numbers ? a - b : a.localeCompare(b, "en", { numeric: true }));
    });
  }
})();
