"use strict";
(function () {
  var recording = JSON.parse(document.getElementById("recording").textContent);
  var screen = document.getElementById("screen"), play = document.getElementById("play");
  var at = document.getElementById("at"), time = document.getElementById("time");
  var rows = [], state, next, now, playing = 0, before;

  // The end is shown first, because it says most.
  screen.style.setProperty("--cols", recording.cols);
  for (var i = 0; i < recording.rows; i++) rows.push(screen.appendChild(document.createElement("div")));
  at.max = recording.length;

  function draw(row) {
    var line = rows[row], column = 0;
    line.textContent = "";
    (state[row] || []).forEach(function (run) {
      if (run[0] > column) line.append(" ".repeat(run[0] - column));
      var span = document.createElement("span");
      span.textContent = run[2];
      span.style.width = run[1] + "ch";
      Object.assign(span.style, recording.styles[run[3]]);
      line.append(span);
      column = run[0] + run[1];
    });
  }
  function show(to) {
    var changed = new Set();
    if (next === undefined || to < now) {
      next = 0;
      state = [];
      rows.forEach(function (_, row) { changed.add(row); });
    }
    for (; next < recording.frames.length && recording.frames[next][0] <= to; next++) {
      recording.frames[next][1].forEach(function (line) {
        if (line[0] >= recording.rows) return;
        state[line[0]] = line[1];
        changed.add(line[0]);
      });
    }
    changed.forEach(draw);
    now = to;
    at.value = now;
    time.textContent = (now / 1000).toFixed(1) + " / " + (recording.length / 1000).toFixed(1) + " s";
  }
  function step(stamp) {
    if (before !== undefined) show(Math.min(recording.length, now + stamp - before));
    before = stamp;
    if (now >= recording.length) return stop();
    playing = requestAnimationFrame(step);
  }
  function stop() {
    cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = "play";
  }
  function toggle() {
    if (playing) return stop();
    if (now >= recording.length) show(0);
    before = undefined;
    play.textContent = "stop";
    playing = requestAnimationFrame(step);
  }
  function seek(to) { show(Math.max(0, Math.min(recording.length, to))); }

  play.addEventListener("click", toggle);
  at.addEventListener("input", function () { seek(Number(at.value)); });
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target === at) return;
    if (e.key === " " && e.target !== play) toggle();
    else if (e.key === "ArrowLeft") seek(now - 2000);
    else if (e.key === "ArrowRight") seek(now + 2000);
    else return;
    e.preventDefault();
  });
  show(recording.length);
})();
