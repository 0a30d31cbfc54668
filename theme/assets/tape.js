/* The tape, step by step: a picture of a recording tells its story with buttons, keys and a slider.
   The steps come with the picture, from the recording itself (solutions/_tape_picture.py). Without
   this script the whole picture stands there. No word stands here: they come with the page. */
(() => {
  const words = SITE.words.tape;
  const FORWARD = new Set(["recorded", "passed by"]);
  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  /* The line of code above the picture, as a range: lit without changing the page. */
  function lineAbove(picture, wanted) {
    const blocks = document.querySelectorAll("article .highlight:not(.output) code");
    const above = [...blocks].filter(
      (code) => code.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    for (const code of above.reverse()) {
      const lines = code.textContent.split("\n");
      const number = lines.findIndex((line) => line.trim() && line.trim() === wanted);
      if (number < 0) continue;
      const start = lines.slice(0, number).reduce((sum, line) => sum + line.length + 1, 0);
      return range(code, start, start + lines[number].length);
    }
    return null;
  }

  function range(element, start, end) {
    const found = document.createRange();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let at = 0;
    while (walker.nextNode()) {
      const { length } = walker.currentNode;
      if (at <= start && start <= at + length) found.setStart(walker.currentNode, start - at);
      if (at <= end && end <= at + length) {
        found.setEnd(walker.currentNode, end - at);
        break;
      }
      at += length;
    }
    return found;
  }

  function light(found) {
    if (!globalThis.CSS?.highlights) return; // an older browser: the line stands in the words
    if (found) CSS.highlights.set("tape-line", new Highlight(found));
    else CSS.highlights.delete("tape-line");
  }

  function stepper(picture, story) {
    const boxes = [...picture.querySelectorAll("[data-box]")];
    const links = [...picture.querySelectorAll("[data-link]")];
    // A box appears with its first operation; what no operation made is there from the start.
    const first = new Map();
    story.forEach(([kind, box], n) => {
      if (FORWARD.has(kind) && !first.has(box)) first.set(box, n + 1);
    });
    const shown = (box, step) => (first.get(Number(box)) ?? 0) <= step;

    const said = make("p", { class: "tape-said", "aria-live": "polite" });
    const slider = make("input", {
      type: "range", min: 0, max: story.length, value: 0, "aria-label": words.position,
    });
    slider.addEventListener("input", () => show(Number(slider.value)));
    const button = (label, sign, move) => {
      const made = make("button", { type: "button", class: "md-button", "aria-label": label }, sign);
      made.addEventListener("click", () => show(move(Number(slider.value))));
      return made;
    };
    const toStart = button(words.start, "|◀", () => 0);
    const back = button(words.back, "◀", (step) => step - 1);
    const next = button(words.next, "▶", (step) => step + 1);

    function sentence(step) {
      if (!step) return words.begin;
      const [kind, , code, text] = story[step - 1];
      return words.steps[kind].replace("{text}", text).replace("{code}", code);
    }

    function show(step) {
      step = Math.max(0, Math.min(story.length, step));
      slider.value = step;
      const now = step ? story[step - 1] : null;
      const walked = new Set(
        story.slice(0, step).filter(([kind]) => !FORWARD.has(kind)).map(([, box]) => box),
      );
      for (const box of boxes) {
        const number = Number(box.dataset.box);
        box.classList.toggle("yet", step > 0 && !shown(number, step));
        box.classList.toggle("now", now?.[1] === number);
        box.classList.toggle("walked", walked.has(number));
      }
      for (const link of links) {
        const ends = link.dataset.link.split(" ");
        link.classList.toggle("yet", step > 0 && !ends.every((box) => shown(box, step)));
        link.classList.toggle("walked", ends.every((box) => walked.has(Number(box))));
      }
      light(now?.[2] ? lineAbove(picture, now[2]) : null);
      slider.setAttribute("aria-valuetext", `${step} / ${story.length}`);
      const count = make("span", { class: "tape-count" }, `${step} / ${story.length} `);
      const pieces = sentence(step).split("`"); // every other one stood in backticks
      said.replaceChildren(count, ...pieces.map((text, n) => (n % 2 ? make("code", {}, text) : text)));
      group.classList.toggle("going", step > 0);
      toStart.disabled = back.disabled = step === 0;
      next.disabled = step === story.length;
    }

    const controls = make("div", { class: "tape-controls" }, toStart, back, slider, next);
    const group = make("div", { class: "tape-steps", role: "group", "aria-label": words.name });
    group.append(controls, said);
    const figure = picture.closest(".output-figure");
    const stage = make("div", { class: "tape-stage" });
    figure.replaceWith(stage);
    stage.append(figure, group);
    show(0);
  }

  function told(drawing) {
    const story = drawing.querySelector("metadata");
    if (story) stepper(drawing, JSON.parse(story.textContent));
  }

  /* A large drawing is a file of its own. Shortly before it is seen it comes into the page, where it
     follows the page's colours and can be stepped through. Where it cannot be had, it stays. */
  async function enter(image) {
    const file = await fetch(image.src).catch(() => null);
    if (!file?.ok) return;
    const read = new DOMParser().parseFromString(await file.text(), "image/svg+xml");
    const drawing = read.querySelector("svg");
    drawing.querySelector("style")?.remove(); // the page has it: assets/pictures.css
    image.closest("p").replaceWith(make("div", { class: "output-figure" }, drawing));
    told(drawing);
  }

  const near = new IntersectionObserver(
    (images) => {
      for (const { isIntersecting, target } of images) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        enter(target);
      }
    },
    { rootMargin: "100%" },
  );

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".output-figure svg").forEach(told);
    if (location.protocol === "file:") return; // opened from a disk, a page may read no file
    document.querySelectorAll("img.drawing").forEach((image) => near.observe(image));
  });
})();
