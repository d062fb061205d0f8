// Words: choose a class, search, and show the documents behind a word.
const wordDetail = document.getElementById("word-detail");
const panels = [...document.querySelectorAll(".word-panel")];
const wordSearch = document.getElementById("word-search");
const wordClass = document.getElementById("word-class");

function readData(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}

function make(name, text, className) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function shownPanel() {
  return panels.find((panel) => !panel.hidden);
}

// The text with every occurrence of the word marked; spellings may be two, as in "good / gut".
function withMarks(text, word) {
  const part = make("bdi");
  const lower = text.toLowerCase();
  const spellings = word.toLowerCase().split(" / ").filter(Boolean);
  let end = 0;
  // Lower case may have another length in rare scripts; then nothing is marked.
  while (lower.length === text.length && end < text.length) {
    const places = spellings
      .map((spelling) => [lower.indexOf(spelling, end), spelling.length])
      .filter(([place]) => place >= 0)
      .sort((one, other) => one[0] - other[0]);
    if (!places.length) break;
    const [place, length] = places[0];
    part.append(text.slice(end, place), make("mark", text.slice(place, place + length), "for level-2"));
    end = place + length;
  }
  part.append(text.slice(end));
  return part;
}

function chooseWord(column) {
  const panel = shownPanel();
  if (!panel) return;
  panel.querySelectorAll(".chosen").forEach((element) => element.classList.remove("chosen"));
  const mark = panel.querySelector(`g.word[data-word="${column}"]`);
  if (mark) mark.classList.add("chosen");
  const button = panel.querySelector(`button.word[data-word="${column}"]`);
  if (!button) return;
  const word = button.textContent;
  const cells = [...button.closest("tr").cells].map((cell) => cell.textContent);
  const title = make("p");
  title.append(make("strong", word), `: ${cells[5]}. `);
  title.append(`Source: weight ${cells[1]}, ${cells[3]} documents. Target: weight ${cells[2]}, ${cells[4]} documents.`);
  wordDetail.replaceChildren(title);
  const texts = (readData("texts") || []).filter((text) => text.words.includes(Number(column)));
  const list = make("ul");
  for (const isTarget of [false, true]) {
    for (const text of texts.filter((item) => item.target === isTarget).slice(0, 3)) {
      const item = make("li");
      item.append(make("strong", `${text.domain}, ${text.row}`), text.label === null ? ": " : ` (${text.label}): `);
      item.append(withMarks(text.text, word));
      list.append(item);
    }
  }
  if (list.children.length) wordDetail.append(list);
}

document.getElementById("word-panels")?.addEventListener("click", (event) => {
  const word = event.target.closest("[data-word]");
  if (word) chooseWord(word.dataset.word);
});
document.getElementById("word-panels")?.addEventListener("mouseover", (event) => {
  const word = event.target.closest("g.word");
  if (word) chooseWord(word.dataset.word);
});

function filterWords() {
  const query = wordSearch.value.trim().toLowerCase();
  for (const panel of panels) {
    panel.querySelectorAll("tbody tr").forEach((row) => {
      row.hidden = query !== "" && !row.cells[0].textContent.toLowerCase().includes(query);
    });
    const found = new Set([...panel.querySelectorAll("tbody tr:not([hidden]) button.word")].map((button) => button.dataset.word));
    panel.querySelectorAll("g.word").forEach((word) => word.classList.toggle("faded", !found.has(word.dataset.word)));
    if (query) panel.querySelectorAll("details").forEach((details) => { details.open = true; });
  }
}
wordSearch?.addEventListener("input", filterWords);

function showClass() {
  panels.forEach((panel) => { panel.hidden = panel.dataset.panel !== wordClass.value; });
}
if (wordClass) {
  wordClass.addEventListener("change", showClass);
  showClass();
}

// The map: show one class only, and the beginning of a document.
const mapPoints = document.getElementById("map-points");
if (mapPoints) {
  const data = readData("map-data");
  const points = [...mapPoints.children];
  const detail = document.getElementById("map-detail");
  document.getElementById("map-class").addEventListener("change", (event) => {
    const name = event.target.value;
    points.forEach((point) => point.classList.toggle("faded", name !== "" && !point.classList.contains(name)));
  });
  mapPoints.addEventListener("mouseover", (event) => {
    const place = points.indexOf(event.target);
    if (place < 0) return;
    points.forEach((point) => point.classList.remove("chosen"));
    event.target.classList.add("chosen");
    const [isTarget, code, row, text] = data.points[place];
    detail.replaceChildren(make("strong", `${data.domains[isTarget]}, ${row}`), ` (${data.labels[code]}) `, make("bdi", text));
  });
}

// Printed pages show everything.
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  panels.forEach((panel) => { panel.hidden = false; });
});
window.addEventListener("afterprint", () => { if (wordClass) showClass(); });
