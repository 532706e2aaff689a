// storage.js - values in the browser's local storage.

/** Reads or writes a value; a page from a file may not be permitted to. @param {string} key @param {string} [value] */
export function storage(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(`cpprof-${key}`, value);
    return localStorage.getItem(`cpprof-${key}`);
  } catch {
    return null;
  }
}
