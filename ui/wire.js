// wire.js - reads protobuf fields from bytes. The profile's hot loops in
// decode.js read their varints in place; this reader is for rare fields.

/** Thrown for bytes that are no profile, with a message for users. */
export class FormatError extends Error {}

export class Reader {
  /**
   * @param {Uint8Array} bytes
   * @param {number} pos
   * @param {number} end
   */
  constructor(bytes, pos = 0, end = bytes.length) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.field = 0;
    this.type = 0;
  }

  /** Moves to the next field; false at the end. */
  next() {
    if (this.pos >= this.end) return false;
    const key = this.varint();
    this.field = key < 0x80 ? key >> 3 : Math.floor(key / 8);
    this.type = key & 7;
    if (this.field === 0) throw new FormatError("a field without a number");
    return true;
  }

  /** An unsigned varint; above 2^53 it is rounded. */
  varint() {
    if (this.pos < this.end && this.bytes[this.pos] < 0x80) return this.bytes[this.pos++];
    let low = 0, scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.pos >= this.end) throw new FormatError("cut short");
      const byte = this.bytes[this.pos++];
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return low;
      scale *= 128;
    }
    throw new FormatError("a number longer than ten bytes");
  }

  /** A varint as a signed 64-bit number; rounded beyond 2^53. */
  int() {
    const bytes = this.bytes;
    let low = 0, high = 0, shift = 0;
    for (let i = 0; i < 10; i++) {
      if (this.pos >= this.end) throw new FormatError("cut short");
      const byte = bytes[this.pos++];
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high |= (byte & 0x7f) >> 4;
      } else if (shift < 63) high |= (byte & 0x7f) << (shift - 32);
      else high |= (byte & 1) << 31;
      if (byte < 0x80) return high * 4294967296 + (low >>> 0);
      shift += 7;
    }
    throw new FormatError("a number longer than ten bytes");
  }

  /** A varint as text in hexadecimal, exact. */
  hex() {
    const start = this.pos;
    let value = 0n, shift = 0n;
    this.varint();
    for (let i = start; i < this.pos; i++) {
      value |= BigInt(this.bytes[i] & 0x7f) << shift;
      shift += 7n;
    }
    return BigInt.asUintN(64, value);
  }

  /** The end of the bytes of this field, which begin at pos. */
  span() {
    const len = this.varint();
    const end = this.pos + len;
    if (end > this.end) throw new FormatError("a field longer than its message");
    return end;
  }

  /** A reader of the message in this field; skips it. */
  message() {
    const end = this.span();
    const inner = new Reader(this.bytes, this.pos, end);
    this.pos = end;
    return inner;
  }

  /** Skips a field. */
  skip() {
    if (this.type === 0) this.varint();
    else if (this.type === 1) this.pos += 8;
    else if (this.type === 2) this.pos = this.span();
    else if (this.type === 5) this.pos += 4;
    else throw new FormatError("a field of unknown kind");
    if (this.pos > this.end) throw new FormatError("cut short");
  }
}
