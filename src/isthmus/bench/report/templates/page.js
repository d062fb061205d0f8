"use strict";
// A click on the head of a column sorts by it, a second click reverses the order, and a third one
// restores the order of the report. Rows of means and costs stay at the end.
const SUMMARY = /^(mean of|mean,|seconds per fit|MiB per fit)/;
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const all = [...body.rows];
  const summary = all.filter((row) => SUMMARY.test(row.cells[0].textContent));
  const rows = all.filter((row) => !summary.includes(row));
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numbers = head.style.textAlign === "right";
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
  const match = /^[<>\s]*([+\-\u2212]?(\d[\d,]*(\.\d*)?|\.\d+))/.exec(text);
  return match ? Number(match[1].replaceAll(",", "").replace("\u2212", "-")) : null;
}

function sorted(rows, column, numbers, order) {
  const sign = order === "ascending" ? 1 : -1;
  const key = (row) => {
    const text = row.cells[column].textContent;
    return numbers ? leadingNumber(text) : text;
  };
  return rows.slice().sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    // Rows without a number are last in both orders.
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (numbers ? a - b : a.localeCompare(b, "en", { numeric: true }));
  });
}
