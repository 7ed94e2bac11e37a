// Hover shows what a point is; a live page replaces the parts that have changed and asks what-if questions. No request leaves the server.
"use strict";
(() => {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);

  const place = (event) => {
    const width = document.documentElement.clientWidth;
    const left = Math.min(event.pageX + 14, window.scrollX + width - tip.offsetWidth - 8);
    const above = event.clientY + tip.offsetHeight + 24 > window.innerHeight;
    tip.style.left = Math.max(left, window.scrollX + 4) + "px";
    tip.style.top = (above ? event.pageY - tip.offsetHeight - 12 : event.pageY + 16) + "px";
  };
  let over = null;
  const show = (event) => {
    over = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !over;
    if (over) {
      tip.textContent = over.getAttribute("data-tip");
      place(event);
    }
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("pointermove", (event) => { if (!tip.hidden) place(event); });

  const live = document.getElementById("live");
  if (!live) return;

  const said = (kind, text) => { live.className = kind; live.textContent = text; };
  const bodies = () => document.querySelectorAll("[data-section]");
  const opened = {};
  document.addEventListener("toggle", (event) => {
    if (event.target.id) opened[event.target.id] = event.target.open;
  }, true);

  const slide = (slider, value) => {
    slider.value = value;
    slider.dataset.moved = "yes";
    slider.parentElement.querySelector("output").textContent = Number(Number(slider.value).toPrecision(5)).toString();
  };
  // A limit that somebody moved stays where it was when its part of the page is renewed.
  const again = (old) => {
    const slider = document.getElementById(old.id);
    const same = slider && slider.dataset.limit === old.dataset.limit;
    if (same) slide(slider, old.value);
    return same;
  };
  const renew = async (body, digest) => {
    const answer = await fetch("section/" + encodeURIComponent(body.dataset.section), { cache: "no-store" });
    if (!answer.ok) return;
    const text = await answer.text();
    if (body.contains(over)) tip.hidden = true;
    const moved = [...body.querySelectorAll("input[data-moved]")];
    body.innerHTML = text;
    if (moved.filter(again).length) ask();
    body.dataset.digest = answer.headers.get("x-digest") || digest;
    for (const each of body.querySelectorAll("details[id]")) if (each.id in opened) each.open = opened[each.id];
  };
  let latest = {};
  let busy = false;
  const catchUp = async () => {
    if (busy) return;
    busy = true;
    try {
      for (let changed = true; changed;) {
        changed = false;
        for (const body of bodies()) {
          const digest = latest[body.dataset.section];
          const held = body.contains(document.activeElement) && document.activeElement.type === "range";
          if (digest && digest !== body.dataset.digest && !held) {
            const before = body.dataset.digest;
            await renew(body, digest);
            changed = changed || before !== body.dataset.digest;
          }
        }
      }
    } catch { /* the server went away: the stream says so, and comes back */ } finally { busy = false; }
  };

  const stream = new EventSource("events");
  stream.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    latest = state.digests;
    said(state.trouble ? "off" : "on", state.trouble || state.said);
    catchUp();
  });
  stream.addEventListener("error", () => said("off", "the dashboard does not answer; what is shown may be old"));

  let timer = 0;
  let asked = 0;
  const ask = async () => {
    const query = new URLSearchParams();
    for (const each of document.querySelectorAll("input[data-limit]")) {
      if (Number(each.value) !== Number(each.dataset.limit) && each.dataset.moved) query.append(each.dataset.side, each.dataset.name + "=" + each.value);
    }
    const place = document.getElementById("what-if-answer");
    if (!place) return;
    const turn = ++asked;
    place.className = "busy";
    try {
      const answer = query.size ? await (await fetch("what-if?" + query, { cache: "no-store" })).text() : "";
      if (turn === asked) place.innerHTML = answer;
    } catch {
      if (turn === asked) place.textContent = "The dashboard does not answer.";
    } finally { if (turn === asked) place.className = ""; }
  };
  document.addEventListener("input", (event) => {
    const slider = event.target;
    if (!slider.dataset || !slider.dataset.limit) return;
    slide(slider, slider.value);
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  });
  document.addEventListener("focusout", () => setTimeout(catchUp)); // what was held while a slider was
})();
