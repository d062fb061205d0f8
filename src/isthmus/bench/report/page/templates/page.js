"use strict";
// A click on the head of a column sorts by it; another turns the order; a third gives back the
// order of the report.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const asWritten = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numbers = head.classList.contains("number");
    // Of numbers, the large ones are wanted first; of names, those from the alphabet's beginning.
    const orders = numbers ? ["descending", "ascending"] : ["ascending", "descending"];
    button.addEventListener("click", () => {
      const next = orders[orders.indexOf(head.getAttribute("aria-sort")) + 1];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (next) head.setAttribute("aria-sort", next);
      const rows = next ? sorted(asWritten, column, numbers, next) : asWritten;
      body.append(...rows);
    });
  });
}

function sorted(rows, column, numbers, order) {
  const sign = order === "ascending" ? 1 : -1;
  const key = (row) => {
    const cell = row.cells[column];
    if (!numbers) return cell.textContent;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  return rows.slice().sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    // What has no number stands last in either order.
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (numbers ? a - b : a.localeCompare(b, "en", { numeric: true }));
  });
}
