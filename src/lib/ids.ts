import { randomByte } from "./crypto/random.ts";

/** Its characters sort as the numbers that they stand for. */
export const idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The number of characters after the prefix that encode the creation time. */
export const idTimeLength = 8; // 62^8 ms reaches past the year 8000
const counterLength = 4;
const randomLength = 12; // 71 bits
const counterLimit = 62 ** counterLength;

const characters = Buffer.from(idAlphabet);
/** Ids do not follow a clock that is set back by less. It is below the hour from which ids count as ahead of the time. */
const maxStepBack = 30 * 60_000;

/** Ids that sort by creation. */
class IdSequence {
  /** The time of the last id. */
  time = 0;
  #counter = 0;
  /** Reused for the characters of each id: concatenating strings took three times as long. */
  readonly #bytes = Buffer.alloc(idTimeLength + counterLength + randomLength);

  next(prefix: string, now: number): string {
    const bytes = this.#bytes;
    if (now > this.time || now < this.time - maxStepBack) {
      this.time = now;
      writeBase62(bytes, now, 0, idTimeLength);
      // The lower half leaves room to count up. A random start avoids equal ids from two processes.
      this.#counter = Math.floor(Math.random() * (counterLimit / 2));
    } else {
      this.#counter += 1;
      if (this.#counter === counterLimit) {
        this.time += 1;
        writeBase62(bytes, this.time, 0, idTimeLength);
        this.#counter = 0;
      }
    }
    writeBase62(bytes, this.#counter, idTimeLength, counterLength);
    for (let at = idTimeLength + counterLength; at < bytes.length; ) {
      const random = randomByte();
      // Rejection sampling: 248 of the 256 values are used, four for each character.
      if (random < 248) bytes[at++] = characters[random % 62]!;
    }
    return `${prefix}_${bytes.toString("latin1")}`;
  }
}

const newest = new IdSequence();
/** For times long before the newest: the clock was set back, or what gets an id began long ago, such as a long request. */
const earlier = new IdSequence();

/**
 * `<prefix>_` and 24 base62 characters that sort by creation: time, a counter that orders ids of one process within a
 * millisecond, and random characters that make ids of different processes unique.
 */
export function newId(prefix: string, now: number): string {
  return (now < newest.time - maxStepBack ? earlier : newest).next(prefix, now);
}

function writeBase62(target: Buffer, value: number, start: number, length: number): void {
  let rest = value;
  for (let at = start + length - 1; at >= start; at--) {
    target[at] = characters[rest % 62]!;
    rest = Math.floor(rest / 62);
  }
}

function timeText(time: number): string {
  const target = Buffer.alloc(idTimeLength);
  writeBase62(target, Math.max(0, time), 0, idTimeLength);
  return target.toString("latin1");
}

/** Returns a text that sorts no higher than any id created at that time or later. */
export function firstIdOf(prefix: string, time: number): string {
  return `${prefix}_${timeText(time)}`;
}

const generated = /^[a-z]+_[0-9A-Za-z]{24}$/;

/**
 * Returns the characters of an id that encode its creation time; they sort by time. Undefined for an id that was not
 * generated.
 */
export function timeTextOf(id: string): string | undefined {
  if (!generated.test(id)) return undefined;
  const start = id.length - idTimeLength - counterLength - randomLength;
  return id.slice(start, start + idTimeLength);
}

/** Returns the text of `timeTextOf` for a time that is later by a number of milliseconds. */
export function laterTimeText(text: string, milliseconds: number): string {
  let time = 0;
  for (const character of text) time = time * 62 + idAlphabet.indexOf(character);
  return timeText(time + milliseconds);
}
