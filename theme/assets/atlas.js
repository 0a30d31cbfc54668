// The atlas' filter: by symptom, by release and by word. Without this script the page is whole.
// No word stands here: they come with the page's other script.
(() => {
  const words = SITE.words.atlas;
  const place = document.getElementById("atlas-filter");
  const tables = [...document.querySelectorAll("article table")];
  const matrix = tables.filter((table) => table.tHead.rows[0].cells.length > 8);
  const legend = tables.find((table) => !matrix.includes(table));
  if (!place || !matrix.length) return;

  const signs = [...legend.tBodies[0].rows].map((row) => [...row.cells].map((c) => c.textContent));
  const mark = signs.pop()[0]; // the last row explains the mark of a change
  const meaning = new Map(signs);
  const releases = [...matrix[0].tHead.rows[0].cells].slice(1).map((c) => c.innerText.trim());
  const rows = matrix.flatMap((table) => [...table.tBodies[0].rows]);
  for (const row of rows) {
    [...row.cells].slice(1).forEach((cell, number) => {
      const text = cell.textContent.trim();
      const changed = text.startsWith(mark);
      cell.dataset.sign = text.replace(mark, "");
      if (changed) cell.dataset.changed = "";
      const said = meaning.get(cell.dataset.sign);
      cell.title = `${releases[number]}: ${said}${changed ? words.changed : ""}`;
      cell.setAttribute("aria-label", cell.title);
    });
  }

  function select(label, options) {
    const box = document.createElement("select");
    box.append(...options.map(([value, text]) => new Option(text, value)));
    return labelled(label, box);
  }

  function labelled(text, box) {
    const label = document.createElement("label");
    label.append(`${text} `, box);
    place.append(label);
    box.addEventListener("input", filter);
    return box;
  }

  const symptom = select(words.symptom, [
    ["", words.any_symptom],
    ...signs.map(([sign, text]) => [sign, `${sign} ${text}`]),
    [mark, `${mark} ${words.change}`],
  ]);
  const release = select(words.release, [
    ["", words.any_release],
    ...releases.map((name, number) => [number, name]),
  ]);
  const field = Object.assign(document.createElement("input"), { type: "search" });
  const word = labelled(words.word, field);
  const count = document.createElement("output");
  place.append(count);

  function fits(row) {
    const program = row.cells[0].textContent.toLowerCase();
    if (!program.includes(word.value.trim().toLowerCase())) return false;
    if (!symptom.value) return true;
    const cells = [...row.cells].slice(1);
    const asked = release.value === "" ? cells : [cells[Number(release.value)]];
    return asked.some((cell) =>
      symptom.value === mark ? "changed" in cell.dataset : cell.dataset.sign === symptom.value,
    );
  }

  function filter() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row);
      shown += !row.hidden;
    }
    for (const table of matrix) {
      const box = table.closest(".md-typeset__scrollwrap") || table;
      box.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
      for (const cell of table.querySelectorAll("th, td")) {
        cell.classList.toggle("asked", release.value !== "" && cell.cellIndex === Number(release.value) + 1);
      }
    }
    count.textContent = words.count.replace("{shown}", shown).replace("{all}", rows.length);
  }

  filter();
})();
