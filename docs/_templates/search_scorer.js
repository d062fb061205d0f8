// Pages that teach come before pages that list. Otherwise every page with a word has the same score.
const PLACES = [
  [/^(start|is_it_for_me|which_method)$/, 9],
  [/^reference\/faq$/, 9],
  [/^guides\//, 8],
  [/^reference\/(glossary|command_line)$/, 5],
  [/^methods\//, 4],
  [/^gallery\//, 3],
  [/^(project|benchmarks|contribute)\//, -3],
];

var Scorer = {
  // An item is [page, title, anchor, description, score, file, kind].
  score: (item) => {
    const place = PLACES.find(([pattern]) => pattern.test(item[0]));
    return item[4] + (place ? place[1] : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
