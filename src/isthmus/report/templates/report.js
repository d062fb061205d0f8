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

const allTexts = readData("texts") || [];

function shownPanel() {
  return panels.find((panel) => !panel.hidden);
}

// The text with every occurrence of the word marked; spellings may be two, as in "good / gut".
function withMarks(text, word) {
  const part = make("bdi");
  const spellings = word.split(" / ").filter(Boolean);
  const escaped = spellings.map((spelling) => spelling.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Whole words only, but for scripts that are written without spaces.
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(word);
  const [start, stop] = unspaced ? ["", ""] : ["(?<![\\p{L}\\p{N}_])", "(?![\\p{L}\\p{N}_])"];
  const places = text.matchAll(new RegExp(`${start}(?:${escaped.join("|")})${stop}`, "giu"));
  let end = 0;
  for (const place of places) {
    part.append(text.slice(end, place.index), make("mark", place[0], "for level-2"));
    end = place.index + place[0].length;
  }
  part.append(text.slice(end));
  return part;
}

function chooseWord(column) {
  const panel = shownPanel();
  if (!panel || !wordDetail) return;
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
  wordDetail.classList.add("active");
  const texts = allTexts.filter((text) => text.words.includes(Number(column)));
  const list = make("ul");
  for (const isTarget of [false, true]) {
    for (const text of texts.filter((item) => item.target === isTarget).slice(0, 3)) {
      const item = make("li");
      item.append(make("strong", `${text.domain}, ${text.name}`), text.label === null ? ": " : ` (${text.label}): `);
      item.append(withMarks(text.text, word));
      list.append(item);
    }
  }
  if (list.children.length) wordDetail.append(list);
}

// A click keeps a word, so that the way to the text does not change it; a second click lets it go.
let kept = null;
document.getElementById("word-panels")?.addEventListener("click", (event) => {
  const word = event.target.closest("[data-word]");
  if (!word) {
    if (event.target.closest("svg.words")) kept = null;
    return;
  }
  kept = word.matches("g.word") && kept === word.dataset.word ? null : word.dataset.word;
  chooseWord(word.dataset.word);
});
document.getElementById("word-panels")?.addEventListener("mouseover", (event) => {
  const word = event.target.closest("g.word");
  if (word && kept === null) chooseWord(word.dataset.word);
});

function filterWords() {
  const query = wordSearch.value.trim().toLowerCase();
  for (const panel of panels) {
    panel.querySelectorAll("tbody tr").forEach((row) => {
      row.hidden = query !== "" && !row.cells[0].textContent.toLowerCase().includes(query);
    });
    const found = new Set([...panel.querySelectorAll("tbody tr:not([hidden]) button.word")].map((button) => button.dataset.word));
    panel.querySelectorAll("g.word").forEach((word) => word.classList.toggle("faded", !found.has(word.dataset.word)));
  }
  const rows = [...(shownPanel()?.querySelectorAll("tbody tr:not([hidden]) button.word") ?? [])];
  const total = shownPanel()?.querySelectorAll("tbody tr").length ?? 0;
  const none = "No word found. Words that take no clear side are not shown.";
  document.getElementById("word-count").textContent = query === "" ? "" : rows.length ? `${rows.length} of ${total} words` : none;
  if (query !== "" && rows.length) {
    kept = rows[0].dataset.word;
    chooseWord(kept);
  }
}
wordSearch?.addEventListener("input", filterWords);

function showClass() {
  panels.forEach((panel) => { panel.hidden = panel.dataset.panel !== wordClass.value; });
  kept = null;
  filterWords();
}
if (wordClass) {
  wordClass.addEventListener("change", showClass);
  showClass();
}

// The map: show one class only, and the beginning of a document.
const mapPoints = document.querySelector("#map-figure .points");
if (mapPoints) {
  const data = readData("map-data");
  const points = [...mapPoints.children];
  const detail = document.getElementById("map-detail");
  document.getElementById("map-class").addEventListener("change", (event) => {
    const name = event.target.value;
    points.forEach((point) => point.classList.toggle("faded", name !== "" && !point.classList.contains(name)));
  });
  let chosen = -1;
  const choose = (place) => {
    if (place < 0) return;
    points[chosen]?.classList.remove("chosen");
    chosen = place;
    points[chosen].classList.add("chosen");
    const [isTarget, code, name, text] = data.points[chosen];
    detail.replaceChildren(make("strong", `${data.domains[isTarget]}, ${name}`), ` (${data.labels[code]}) `, make("bdi", text));
  };
  mapPoints.addEventListener("mouseover", (event) => choose(points.indexOf(event.target)));
  document.getElementById("map-figure").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose((chosen + step + points.length) % points.length);
  });
}

// Printed pages show everything.
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  panels.forEach((panel) => { panel.hidden = false; });
});
window.addEventListener("afterprint", () => { if (wordClass) showClass(); });
