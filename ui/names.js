// names.js - full and short names of frames.

/** The name without parameters, as drop and prune expressions see it. @param {string} name */
export function simpleName(name) {
  if (name.startsWith(".")) name = name.slice(1);
  for (let i = 0; i < name.length; i++) {
    if (name[i] !== "(") continue;
    if (name.startsWith("(anonymous namespace)", i)) i += 20;
    else if (name.startsWith("()", i) && name.slice(0, i).endsWith("operator")) i += 1;
    else return name.slice(0, i);
  }
  return name;
}

/** The last part of a path. @param {string} path */
export function baseName(path) {
  const at = path.lastIndexOf("/");
  return at < 0 ? path : path.slice(at + 1);
}

const JAVA = /^(?:[a-z]\w*\.)*([A-Z][\w$]*\.(?:<init>|[a-z][\w$]*))(?:\(.*)?$/;
const GO = /^(?:[\w\-.]+\/)+([^/.]+\..+)$/;
const CPP = /^(?:[A-Za-z_]\w*::)+?(_*[A-Z]\w*::~?[A-Za-z_]\w*(?:<.*>)?)(?:\(.*)?$/;

/** A shorter name for narrow boxes. @param {string} name */
export function shortName(name) {
  if (name.startsWith("(anonymous namespace)::")) name = name.slice(23);
  name = name.replace(/\/v([2-9]|[1-9]\d+)(?=[./])/, "");
  const found = GO.exec(name) || JAVA.exec(name) || CPP.exec(name);
  return found ? found[1] : name;
}

/**
 * The package, namespace or class of a name, for its colour.
 * @param {string} name
 */
export function packageOf(name) {
  const slash = name.lastIndexOf("/");
  const rest = name.slice(slash + 1);
  const found = /^(.*?)(?:\.|::)/.exec(rest);
  return name.slice(0, slash + 1) + (found ? found[1] : rest);
}

/** A path without ".", "//" and "x/..". @param {string} path */
export function cleanPath(path) {
  if (!/\/\/|\/\.|^\.\/|\/$/.test(path)) return path;
  const rooted = path.startsWith("/");
  /** @type {string[]} */
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length && parts[parts.length - 1] !== "..") parts.pop();
    else if (part !== ".." || !rooted) parts.push(part);
  }
  return (rooted ? "/" : "") + parts.join("/") || ".";
}
