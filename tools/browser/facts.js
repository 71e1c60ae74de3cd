// Returns the facts of a page's layout that fonts and scroll bars do not change: for each box the edges that the page
// determines, relative to the left edge of the page's content, and its colors.
(boxes) => {
  const hex = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return a === 0 ? "none" : "#" + [r, g, b].map((v) => Math.round(v).toString(16).padStart(2, "0")).join("") + (a < 1 ? "/" + a : "");
  };
  const main = document.querySelector("main"), origin = main ? main.getBoundingClientRect().left : 0;
  const tops = [];
  const facts = boxes.map(({ name, selector, paint, narrow }) => {
    const e = document.querySelector(selector);
    if (!e) return { name };
    const box = e.getBoundingClientRect(), style = getComputedStyle(e), drawn = e instanceof SVGGraphicsElement;
    const fact = { name, there: true, color: hex(drawn ? style.fill : style.color) };
    if (e !== document.body) fact.left = box.left - origin;
    if (!narrow) fact.width = box.width;
    if (drawn && !narrow) fact.height = box.height;
    if (paint) {
      fact.paper = paint === "paper";
      fact.x = { paper: box.left + 8, corner: box.left + 8, edge: box.left + 1, middle: box.left + box.width / 2 }[paint];
      fact.y = paint === "corner" || paint === "paper" ? box.top + 8 : box.top + box.height / 2;
    }
    tops.push([box.top, tops.length, name]);
    return fact;
  });
  return { facts, order: tops.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((t) => t[2]) };
}
