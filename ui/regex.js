// regex.js - RE2 expressions, as far as JavaScript supports them.

/**
 * Compiles an expression in the syntax of pprof, also with leading flags as in
 * "(?i)main". Throws an Error with a message for users.
 * @param {string} text @param {string} name of the option
 */
export function compile(text, name) {
  let flags = "", source = text;
  for (;;) {
    const lead = /^\(\?([imsU]+)\)/.exec(source);
    if (!lead) break;
    for (const flag of lead[1]) if (flag !== "U" && !flags.includes(flag)) flags += flag;
    source = source.slice(lead[0].length);
  }
  source = source.replace(/\(\?P</g, "(?<").replace(/\\z/g, "$").replace(/^\\A/, "^");
  source = source.replace(/\[\[:(\w+):\]\]/g, (all, word) => CLASSES[word] || all);
  try {
    return new RegExp(source, flags);
  } catch (e) {
    throw new Error(`${name}: ${String(e instanceof Error ? e.message : e).replace(/^Invalid regular expression: /, "")}`);
  }
}

/** @type {Record<string, string>} */
const CLASSES = {
  alpha: "[A-Za-z]", digit: "[0-9]", alnum: "[A-Za-z0-9]", upper: "[A-Z]",
  lower: "[a-z]", space: "\\s", word: "\\w", xdigit: "[0-9A-Fa-f]", punct: "[!-/:-@[-`{-~]",
};

/** An expression that matches exactly this text. @param {string} text */
export function exactly(text) {
  return "^" + text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
}

/** The argument of exactly(); other expressions unchanged. @param {string} text */
export function plainly(text) {
  const found = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|])*)\$$/s.exec(text);
  return found ? found[1].replace(/\\(.)/gs, "$1") : text;
}

/** Cached matches of one expression with the strings of a profile. */
export class Matcher {
  /** @param {RegExp} re @param {import("./decode.js").Profile} profile @param {(s: string) => string} [change] */
  constructor(re, profile, change) {
    this.re = re;
    this.profile = profile;
    this.change = change;
    this.answers = new Uint8Array(profile.stringFirst.length);
  }
  /** @param {number} id */
  string(id) {
    let answer = this.answers[id];
    if (answer === 0) {
      let text = this.profile.str(id);
      if (this.change) text = this.change(text);
      answer = this.re.test(text) ? 2 : 1;
      this.answers[id] = answer;
    }
    return answer === 2;
  }
  /** Name or file of the function of a line. @param {number} line */
  line(line) {
    const p = this.profile, fn = p.lineFunction[line];
    return this.string(p.fnName[fn]) || this.string(p.fnFile[fn]);
  }
  /** The file of a location's mapping. @param {number} location */
  mapping(location) {
    const p = this.profile, m = p.locMapping[location];
    return m < p.mappings.length && this.string(p.mappings[m].file);
  }
}
