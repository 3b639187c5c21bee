import { randomByte } from "./random.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const timeLength = 8; // 62^8 ms reaches past the year 8000
const counterLength = 4;
const randomLength = 12; // 71 bits
const counterLimit = 62 ** counterLength;

let lastTime = 0;
let timeText = "";
let counter = 0;

/**
 * `<prefix>_` and 24 base62 characters that sort by creation: time, a counter that orders ids of one process within a
 * millisecond, and random characters that make ids of different processes unique.
 */
export function newId(prefix: string, now: number): string {
  if (now > lastTime) {
    lastTime = now;
    timeText = base62(now, timeLength);
    // The lower half leaves room to count up; a random start avoids equal ids from two processes.
    counter = Math.floor(Math.random() * (counterLimit / 2));
  } else {
    counter += 1;
    if (counter === counterLimit) {
      lastTime += 1;
      timeText = base62(lastTime, timeLength);
      counter = 0;
    }
  }
  return `${prefix}_${timeText}${base62(counter, counterLength)}${randomBase62(randomLength)}`;
}

function base62(value: number, length: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Two characters at a time halve the steps. */
const pairs = Array.from({ length: 62 * 62 }, (_, n) => alphabet[Math.floor(n / 62)]! + alphabet[n % 62]!);

function randomBase62(length: number): string {
  let text = "";
  // Rejection sampling: 12 bits select one of 4,096, of which 3,844 are pairs.
  while (text.length < length) text += pairs[(randomByte() << 4) | (randomByte() & 15)] ?? "";
  return text;
}

/** Not above any id made at that time or later. */
export function firstIdOf(prefix: string, time: number): string {
  return `${prefix}_${base62(Math.max(0, time), timeLength)}`;
}

const generated = /^[a-z]+_[0-9A-Za-z]{24}$/;

/** When an id was made, as it stands in it: such texts sort by time. Undefined for what is not generated. */
export function timeTextOf(id: string): string | undefined {
  if (!generated.test(id)) return undefined;
  const start = id.length - timeLength - counterLength - randomLength;
  return id.slice(start, start + timeLength);
}

/** The text of another time, that many milliseconds later. */
export function laterTimeText(text: string, milliseconds: number): string {
  let time = 0;
  for (const character of text) time = time * 62 + alphabet.indexOf(character);
  return base62(Math.max(0, time + milliseconds), timeLength);
}
