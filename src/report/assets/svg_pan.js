// svg_pan.js - looks around in a graph: move, zoom, search.
//
// Runs inside the SVG file that `dot` drew. The whole picture is inside
// <g id="viewport">; moving and zooming change the transform of that group,
// in the units of the root's viewBox. Names are only read, or set as text.
//
//   wheel, + and -   zoom            drag, arrows   move
//   double click, 0  show all        / or Ctrl-F    search
(function () {
'use strict';

const XHTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';
const LEAST = 0.2, MOST = 200; // zoom
const STYLE =
    '.searching .node, .searching .edge { opacity: 0.2; }' +
    '.searching .hit { opacity: 1; }' +
    '.hit polygon, .hit ellipse { stroke: #d000d0; stroke-width: 4; }' +
    '.hit.current polygon, .hit.current ellipse { fill: #ffe0ff; }' +
    '#viewport { cursor: grab; user-select: none; }';

const svg = document.currentScript.ownerSVGElement;
const viewport = svg.getElementById('viewport');
const view = { k: 1, x: 0, y: 0 }; // scale, then shift
let drag = null;                   // where the pointer is, in picture units

function show() {
    viewport.setAttribute('transform',
        `translate(${view.x} ${view.y}) scale(${view.k})`);
}

// From the window to the units of the viewBox.
function toPicture(x, y) {
    return new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
}

function center() {
    const box = svg.getBoundingClientRect();
    return toPicture(box.x + box.width / 2, box.y + box.height / 2);
}

// Zooms so that the point under p stays there.
function zoom(p, factor) {
    const k = Math.min(MOST, Math.max(LEAST, view.k * factor));
    view.x = p.x - (p.x - view.x) * k / view.k;
    view.y = p.y - (p.y - view.y) * k / view.k;
    view.k = k;
    show();
}

function move(dx, dy) {
    view.x += dx;
    view.y += dy;
    show();
}

function showAll() {
    Object.assign(view, { k: 1, x: 0, y: 0 });
    show();
}

function onWheel(event) {
    const line = event.deltaMode === 0 ? 1 : 30;
    const speed = event.ctrlKey ? 0.01 : 0.0015; // ctrl: a pinch
    event.preventDefault();
    zoom(toPicture(event.clientX, event.clientY),
        Math.exp(-event.deltaY * line * speed));
}

function onDown(event) {
    if (event.button !== 0 || search.contains(event.target))
        return;
    drag = toPicture(event.clientX, event.clientY);
    svg.setPointerCapture(event.pointerId);
}

function onMove(event) {
    if (!drag)
        return;
    const p = toPicture(event.clientX, event.clientY);
    move(p.x - drag.x, p.y - drag.y);
    drag = p;
}

function onUp() {
    drag = null;
}

function onDoubleClick(event) {
    if (!search.contains(event.target))
        showAll();
}

function onKey(event) {
    const key = event.key;
    const c = center(), step = 40 / svg.getScreenCTM().a;
    const actions = {
        '+': () => zoom(c, 1.25), '=': () => zoom(c, 1.25),
        '-': () => zoom(c, 0.8), '0': showAll, '/': search.open,
        ArrowLeft: () => move(step, 0), ArrowRight: () => move(-step, 0),
        ArrowUp: () => move(0, step), ArrowDown: () => move(0, -step),
        Escape: search.close,
    };
    if (event.target.localName === 'input')
        return;
    const isFind = key === 'f' && (event.ctrlKey || event.metaKey);
    if (!isFind && (event.ctrlKey || event.metaKey || event.altKey ||
            !Object.hasOwn(actions, key)))
        return;
    event.preventDefault();
    (isFind ? search.open : actions[key])();
}

// The nodes of the graph with their names. The tooltip of a function has its
// full name, before the value; a tag shows its full name. dot also makes the
// legend a node; the ids of functions and tags are N1, N1_0, NN1_0 and so on.
function readNodes() {
    const nodes = [];
    for (const g of viewport.querySelectorAll('.node')) {
        const id = g.querySelector('title').textContent;
        const link = g.querySelector('a');
        const tip = link && link.getAttributeNS(XLINK, 'title');
        if (!/^NN?\d/.test(id))
            continue;
        const shown = Array.from(g.querySelectorAll('text'),
            (text) => text.textContent).join(' ');
        const isFunction = tip && /^N\d+$/.test(id);
        nodes.push({ g, name: isFunction ? tip.replace(/ \([^()]*\)$/, '')
            : shown });
    }
    return nodes;
}

// A test for the words of the search: as an expression, else literally.
function matcher(query) {
    try {
        const re = new RegExp(query, 'i');
        return (name) => re.test(name);
    } catch (_) {
        const plain = query.toLowerCase();
        return (name) => name.toLowerCase().includes(plain);
    }
}

// Brings a node into the middle, at a size that can be read.
function lookAt(g) {
    const box = g.getBoundingClientRect();
    const p = toPicture(box.x + box.width / 2, box.y + box.height / 2);
    const c = center(), readable = 1 / svg.getScreenCTM().a;
    zoom(p, Math.max(1, readable / view.k));
    move(c.x - p.x, c.y - p.y);
}

// The box at the top left: an HTML input, kept at its size whatever the zoom.
function makeSearch() {
    const nodes = readNodes();
    const frame = svg.appendChild(document.createElementNS(SVG,
        'foreignObject'));
    const box = document.createElementNS(XHTML, 'div');
    const input = document.createElementNS(XHTML, 'input');
    const count = document.createElementNS(XHTML, 'span');
    let hits = [], current = -1;

    function place() {
        const m = svg.getScreenCTM().inverse();
        const at = toPicture(8, 8);
        frame.setAttribute('transform',
            `translate(${at.x} ${at.y}) scale(${m.a})`);
    }

    function find() {
        const query = input.value, test = matcher(query);
        hits = query ? nodes.filter((node) => test(node.name)) : [];
        current = -1;
        for (const { g } of nodes)
            g.classList.remove('hit', 'current');
        for (const { g } of hits)
            g.classList.add('hit');
        viewport.classList.toggle('searching', query !== '');
        count.textContent = query ? `${hits.length} of ${nodes.length}` : '';
    }

    // Goes to the next hit, or with -1 to the one before.
    function next(step) {
        if (hits.length === 0)
            return;
        if (current >= 0)
            hits[current].g.classList.remove('current');
        else if (step < 0)
            current = 0;
        current = (current + step + hits.length) % hits.length;
        hits[current].g.classList.add('current');
        lookAt(hits[current].g);
        count.textContent = `${current + 1} of ${hits.length}`;
    }

    function open() {
        place();
        frame.style.display = '';
        input.focus();
        input.select();
    }

    function close() {
        input.value = '';
        find();
        input.blur();
        frame.style.display = 'none';
    }

    function onInputKey(event) {
        if (event.key === 'Escape')
            close();
        else if (event.key === 'Enter')
            next(event.shiftKey ? -1 : 1);
        else
            return;
        event.preventDefault();
    }

    frame.setAttribute('width', 320);
    frame.setAttribute('height', 40);
    frame.style.display = 'none';
    box.style.cssText = 'font: 14px sans-serif; background: #fff; padding: ' +
        '4px; border: 1px solid #888; display: inline-block;';
    input.placeholder = 'search';
    input.style.cssText = 'width: 180px; margin-right: 8px;';
    input.addEventListener('input', find);
    input.addEventListener('keydown', onInputKey);
    window.addEventListener('resize', place);
    box.append(input, count);
    frame.append(box);
    return { open, close, contains: (element) => frame.contains(element) };
}

const search = makeSearch();
const style = document.createElementNS(SVG, 'style');
style.textContent = STYLE;
svg.prepend(style);
svg.style.touchAction = 'none';
svg.addEventListener('wheel', onWheel, { passive: false });
svg.addEventListener('pointerdown', onDown);
svg.addEventListener('pointermove', onMove);
svg.addEventListener('pointerup', onUp);
svg.addEventListener('pointercancel', onUp);
svg.addEventListener('dblclick', onDoubleClick);
document.addEventListener('keydown', onKey);
})();
