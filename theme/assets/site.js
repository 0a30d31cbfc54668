/* What the pages remember and how the search is asked. Without it every page still reads.
   Runs before Material's own script. No word stands here: they come with the page. */
(() => {
  const { words, lessons } = SITE; // lessons: [slug, address] in reading order
  const { base } = JSON.parse(document.getElementById("__config").textContent);
  const KEY = "read-lessons";

  /* --- progress: kept in this browser only ------------------------------------------------ */

  const load = () => {
    try {
      return new Set(JSON.parse(localStorage.getItem(KEY)) || []);
    } catch {
      return new Set(); // storage is switched off, or holds something else
    }
  };
  const save = (read) => {
    try {
      localStorage.setItem(KEY, JSON.stringify([...read]));
    } catch {
      /* nothing is remembered then */
    }
  };
  const address = (place) => new URL(`${base}/${place}`, location.href).href;
  const here = location.href.split(/[?#]/)[0];
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  function markMenu(read) {
    const pages = new Map(lessons.map(([slug, place]) => [address(place), slug]));
    for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link")) {
      const slug = pages.get(link.href.split("#")[0]);
      if (!slug) continue;
      link.querySelector(".read")?.remove();
      if (read.has(slug)) {
        const mark = element("span", { className: "read" });
        mark.append(element("span", { className: "unseen", textContent: `(${words.done})` }));
        link.append(mark);
      }
    }
  }

  function offerMark(slug) {
    const button = element("button", { type: "button", className: "md-button mark" });
    const show = () => {
      const read = load();
      button.setAttribute("aria-pressed", read.has(slug));
      button.textContent = read.has(slug) ? words.marked : words.mark;
      markMenu(read);
    };
    button.addEventListener("click", () => {
      const read = load();
      if (!read.delete(slug)) read.add(slug);
      save(read);
      show();
    });
    const note = element("small", { textContent: words.kept_here });
    document.querySelector("article").append(element("p", { className: "mark-line" }, button, " ", note));
    show();
  }

  function showProgress(place) {
    const read = load();
    const done = lessons.filter(([slug]) => read.has(slug)).length;
    place.hidden = !done;
    place.replaceChildren();
    if (!done) return;
    const said = words.progress.replace("{done}", done).replace("{all}", lessons.length);
    place.append(said, " ");
    const next = lessons.find(([slug]) => !read.has(slug));
    const title = next && [...document.querySelectorAll(".md-nav--primary a.md-nav__link")].find(
      (link) => link.href === address(next[1]),
    );
    if (title) {
      const link = element("a", { href: title.href, textContent: title.textContent.trim() });
      place.append(`${words.go_on} `, link, ". ");
    }
    const forget = element("button", { type: "button", textContent: words.forget });
    forget.addEventListener("click", () => {
      save(new Set());
      showProgress(place);
      markMenu(new Set());
    });
    place.append(forget);
  }

  /* --- search: its index is larger than any page, and waits until somebody goes there ------- */

  const searched = new Promise((resolve) => {
    if (new URLSearchParams(location.search).has("q")) resolve();
    document.addEventListener("focusin", ({ target }) => {
      if (target.matches?.("[data-md-component=search-query]")) resolve();
    });
  });

  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.isIndex = String(url).endsWith("/search_index.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...rest) {
    if (this.isIndex) searched.then(() => send.apply(this, rest));
    else send.apply(this, rest);
  };

  /* A page that was opened from a disk may start no worker: its search runs in a frame instead. */
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = element("iframe", { hidden: true });
      const script = element("script", { src: new URL(url, location.href).href });
      frame.srcdoc = script.outerHTML;
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
      document.body.append(frame);
      this.inside = Promise.all([loaded, searched]).then(() => {
        const { contentWindow: inside, contentDocument: page } = frame;
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        inside.importScripts = async (...urls) => {
          for (const src of urls)
            await new Promise((onload) => {
              page.body.append(Object.assign(page.createElement("script"), { src, onload }));
            });
        };
        return inside;
      });
    }
    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  }
  if (location.protocol === "file:") globalThis.Worker = globalThis.IFrameWorker = FrameWorker;

  /* A pasted message is words, not a query language. */
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (typeof message?.data === "string")
      message = { ...message, data: message.data.replace(/["“”*~^:+\\]|(^|\s)-+/g, " ") };
    return post.call(this, message, ...rest);
  };

  document.addEventListener("DOMContentLoaded", () => {
    // The menu and the search open by labels, which a keyboard cannot reach: buttons instead.
    for (const [box, name] of [["__drawer", words.menu], ["__search", words.search]]) {
      const label = document.querySelector(`.md-header label.md-header__button[for=${box}]`);
      const button = element("button", {
        type: "button",
        className: `md-header__button md-icon for${box}`,
        ariaLabel: name,
        ariaExpanded: "false",
      });
      button.append(...[...label.childNodes].map((child) => child.cloneNode(true)));
      button.addEventListener("click", () => label.click());
      document.getElementById(box).addEventListener("change", ({ target }) => {
        button.ariaExpanded = String(target.checked);
      });
      label.after(button);
      label.hidden = true;
    }
    // The menu lies over the page: what it covers takes no focus, and Escape leads back.
    const drawer = document.getElementById("__drawer");
    drawer.addEventListener("change", () => {
      const menu = document.querySelector(".md-nav--primary");
      const page = menu.querySelector("a.md-nav__link--active") ?? menu;
      const { top } = page.getBoundingClientRect();
      menu.scrollTop += top - menu.getBoundingClientRect().top - menu.clientHeight / 3;
      for (const part of document.querySelectorAll(".md-content, .md-footer"))
        part.inert = drawer.checked;
    });
    document.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !drawer.checked) return;
      drawer.click();
      document.querySelector(".for__drawer").focus();
    });
    // What is wider than the screen scrolls in its own box: let the keyboard scroll it too.
    const widths = new ResizeObserver((boxes) => {
      for (const { target } of boxes)
        if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
        else target.removeAttribute("tabindex");
    });
    const boxes = ".output-figure, .output-html, .md-typeset__scrollwrap, math[display=block]";
    const adapt = () => {
      for (const box of document.querySelectorAll(boxes)) widths.observe(box);
      // Material's copy buttons each come in a nav; a page with thirty has thirty unnamed landmarks.
      for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.role = "none";
    };
    const article = document.querySelector("article");
    new MutationObserver(adapt).observe(article, { childList: true, subtree: true });
    addEventListener("load", adapt);
    const current = lessons.find(([, place]) => address(place) === here);
    const progress = document.getElementById("progress");
    if (current) offerMark(current[0]);
    else markMenu(load());
    if (progress) showProgress(progress);
  });
})();
