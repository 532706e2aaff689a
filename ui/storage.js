// storage.js - what the browser remembers between visits.

/** What the browser remembers; a page from a file may not be allowed to. @param {string} key @param {string} [value] */
export function storage(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(`cpprof-${key}`, value);
    return localStorage.getItem(`cpprof-${key}`);
  } catch {
    return null;
  }
}
