// flamegraph.js - zoom, search and details of the flame graph.
//
// Runs inside the SVG file and reads the boxes back from the picture. A box
// knows its place as parts of the whole width, so a zoom or a new window size
// is only another way to place them. Names are set as text, never as markup.
(function () {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';
const MARGIN = 10;
const LETTER = 7.25;
const SEARCH_WIDTH = 240;

const svg = document.currentScript.closest('svg');
const group = svg.querySelector('.boxes');
const fullWidth = Number(svg.getAttribute('width')) - 2 * MARGIN;
const boxes = readBoxes();

let width = fullWidth;
let zoomed = 0; // index of the box that fills the width
let ui = null;

function readBoxes() {
    const path = []; // the last box of each row
    return Array.from(group.children, (g, index) => {
        const rect = g.querySelector('rect');
        const title = g.querySelector('title').textContent;
        const box = {
            g, rect, title, index,
            text: g.querySelector('text'),
            name: title.slice(0, title.lastIndexOf('\n')),
            x: (Number(rect.getAttribute('x')) - MARGIN) / fullWidth,
            w: Number(rect.getAttribute('width')) / fullWidth,
            y: Number(rect.getAttribute('y')),
        };
        while (path.length > 0 && path[path.length - 1].y >= box.y)
            path.pop();
        box.parent = path.length > 0 ? path[path.length - 1].index : -1;
        path.push(box);
        return box;
    });
}

// The name as it fits into so many letters: whole, without path, or cut.
function shorten(name, room) {
    if (room < 3)
        return '';
    if (name.length > room) {
        const head = name.split(/[(< ]/, 1)[0];
        name = name.slice(head.lastIndexOf('/') + 1);
    }
    return name.length > room ? name.slice(0, room - 1) + '\u2026' : name;
}

function setLabel(box, x, w) {
    const label = shorten(box.name, Math.floor((w - 6) / LETTER));
    if (!box.text && label !== '') {
        box.text = document.createElementNS(SVG, 'text');
        box.text.setAttribute('y', String(box.y + 13));
        box.g.append(box.text);
    }
    if (box.text) {
        box.text.setAttribute('x', String(x + 3));
        box.text.textContent = label;
    }
}

function draw(box, x, w) {
    box.rect.setAttribute('x', String(x));
    box.rect.setAttribute('width', String(w));
    setLabel(box, x, w);
}

function place() {
    const base = boxes[zoomed];
    const above = new Set();
    for (let i = base.parent; i >= 0; i = boxes[i].parent)
        above.add(i);
    let inside = false; // of the zoomed box: those that follow, further down
    for (const box of boxes) {
        inside = box === base || (inside && box.y > base.y);
        const isAbove = above.has(box.index);
        box.g.classList.toggle('above', isAbove);
        box.g.classList.toggle('hidden', !inside && !isAbove);
        if (isAbove)
            draw(box, MARGIN, width);
        else if (inside)
            draw(box, MARGIN + (box.x - base.x) / base.w * width,
                 box.w / base.w * width);
    }
}

function zoom(index) {
    zoomed = index;
    ui.reset.classList.toggle('hidden', index === 0);
    place();
}

// One unit of the picture becomes one pixel, as wide as there is room.
function resize() {
    const whole = Math.max(svg.clientWidth, 600);
    width = whole - 2 * MARGIN;
    ui.holder.setAttribute('x', String(whole - SEARCH_WIDTH - MARGIN));
    ui.reset.setAttribute('x', String(whole - SEARCH_WIDTH - MARGIN - 90));
    ui.matched.setAttribute('x', String(whole - MARGIN));
    place();
}

function clearSearch() {
    group.classList.remove('searching');
    ui.input.classList.remove('wrong');
    ui.matched.textContent = '';
}

// Marks the boxes whose name matches. Those below a match are not counted
// again: boxes come left to right, so it is enough to know where it ends.
function search(pattern) {
    let re, matched = 0, covered = 0;
    clearSearch();
    if (pattern === '')
        return;
    try {
        re = new RegExp(pattern);
    } catch {
        ui.input.classList.add('wrong');
        ui.matched.textContent = 'not a regular expression';
        return;
    }
    for (const box of boxes) {
        const isHit = re.test(box.name);
        box.g.classList.toggle('hit', isHit);
        if (isHit && box.x >= covered - 1e-6) {
            matched += box.w;
            covered = box.x + box.w;
        }
    }
    group.classList.add('searching');
    ui.matched.textContent = `matched: ${(matched * 100).toFixed(2)}%`;
}

function showDetails(event) {
    const g = event.target.closest('.boxes > g');
    const title = g ? g.querySelector('title').textContent : '';
    ui.details.textContent = title.replace(/\n/g, '  ');
}

function onClick(event) {
    const g = event.target.closest('.boxes > g');
    if (g)
        zoom(boxes.findIndex((box) => box.g === g));
}

function onKey(event) {
    const wantsSearch = (event.key === '/' && event.target !== ui.input) ||
        (event.key === 'f' && (event.ctrlKey || event.metaKey));
    if (wantsSearch) {
        event.preventDefault();
        ui.input.focus();
        ui.input.select();
    } else if (event.key === 'Escape') {
        if (ui.input.value !== '') {
            ui.input.value = '';
            clearSearch();
        } else {
            zoom(0);
        }
        ui.input.blur();
    } else if (event.key === 'Enter' && event.target === ui.input) {
        ui.input.blur();
    }
}

function addText(className, y, text) {
    const element = document.createElementNS(SVG, 'text');
    element.setAttribute('class', className);
    element.setAttribute('y', String(y));
    element.textContent = text;
    svg.append(element);
    return element;
}

function addSearchField() {
    const holder = document.createElementNS(SVG, 'foreignObject');
    const input = document.createElementNS(XHTML, 'input');
    holder.setAttribute('y', '8');
    holder.setAttribute('width', String(SEARCH_WIDTH));
    holder.setAttribute('height', '28');
    input.setAttribute('class', 'search');
    input.setAttribute('placeholder', 'search (regexp) - press /');
    input.setAttribute('aria-label', 'search by regular expression');
    holder.append(input);
    svg.append(holder);
    return { holder, input };
}

function start() {
    svg.setAttribute('width', '100%');
    svg.removeAttribute('viewBox');
    ui = addSearchField();
    ui.reset = addText('button reset hidden', 24, 'reset zoom');
    ui.matched = addText('matched', 50, '');
    ui.matched.setAttribute('text-anchor', 'end');
    ui.details = addText('details', 62, '');
    ui.details.setAttribute('x', String(MARGIN));
    group.addEventListener('click', onClick);
    group.addEventListener('mouseover', showDetails);
    group.addEventListener('mouseout', () => { ui.details.textContent = ''; });
    ui.reset.addEventListener('click', () => zoom(0));
    ui.input.addEventListener('input', () => search(ui.input.value));
    window.addEventListener('keydown', onKey);
    window.addEventListener('resize', resize);
    resize();
}

if (boxes.length > 0)
    start();
})();
