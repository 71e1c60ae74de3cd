"use strict";
document.addEventListener("keydown", function (e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  var cards = Array.from(document.querySelectorAll("article"));
  var at = cards.indexOf(document.activeElement && document.activeElement.closest("article"));
  if (e.key === "j" || e.key === "k") {
    var card = cards[Math.max(0, Math.min(cards.length - 1, at + (e.key === "j" ? 1 : -1)))];
    if (card) { card.focus(); card.scrollIntoView({ block: "start", behavior: "auto" }); }
  } else if (e.key === "o") {
    var folds = (cards[at] || document).querySelectorAll("details");
    var open = !Array.from(folds).every(function (d) { return d.open; });
    folds.forEach(function (d) { d.open = open; });
  }
});
