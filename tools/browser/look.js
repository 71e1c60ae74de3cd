// Returns the faults in the layout of the page: a list of sentences, empty if there are none.
(() => {
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`it scrolls sideways: ${root.scrollWidth} of ${root.clientWidth} pixels`);

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map(); // reading a pixel is slow
  const rgba = (color) => {
    if (!known.has(color)) known.set(color, read(color));
    return known.get(color);
  };
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1,
  });
  const paper = rgba(getComputedStyle(document.body).backgroundColor);
  const behind = (e) => {
    const up = [];
    for (let at = e; at; at = at.parentElement) up.push(rgba(getComputedStyle(at).backgroundColor));
    return up.reduceRight((below, top) => over(top, below), { ...paper, a: 1 });
  };
  const opacity = (e) => {
    let all = 1;
    for (let at = e; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const name = (e) => e.tagName.toLowerCase() + (e.getAttribute("class") ? "." + e.getAttribute("class") : "") + ` "${e.textContent.trim().slice(0, 40)}"`;

  const scrolls = (e) => { // the content of a box with its own scroll bar may be wider
    for (let at = e; at && at !== document.body; at = at.parentElement) if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (seen.has(e) || !texts.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(e.tagName) || e.closest("svg")) continue;
    seen.add(e);
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if ((box.left < -0.5 || box.right > root.clientWidth + 0.5) && !scrolls(e)) wrong.push(`${name(e)} lies outside of the window: ${box.left} to ${box.right}`);
    if (parseFloat(getComputedStyle(e).fontSize) < 12) wrong.push(`${name(e)} is smaller than 12 pixels`);
    const paper = behind(e), ink = rgba(getComputedStyle(e).color);
    const mixed = over({ ...ink, a: ink.a * opacity(e) }, paper);
    const [lighter, darker] = [light(mixed), light(paper)].sort((a, b) => b - a);
    const contrast = (lighter + 0.05) / (darker + 0.05);
    if (contrast < 4.5) wrong.push(`${name(e)} has a contrast of ${contrast.toFixed(2)}, and 4.5 is the least (WCAG 2.2, 1.4.3)`);
  }
  return wrong;
})()
