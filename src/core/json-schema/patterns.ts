import { RE2JS } from "re2js";
import type { Budget } from "./budget.ts";

/**
 * The maximum size of a pattern: about the number of character ranges that its program compares. Larger ones take too
 * long to compile.
 */
const maxPatternWeight = 4_000;
/** Property classes such as `\p{L}` have hundreds of ranges. */
const weightOfPropertyClass = 100;
/** The worst measured cost, per instruction of the program and per character. */
const stepsPerInstruction = 4;

/**
 * A single repeated class of plain ASCII. The platform's matcher is linear for it, and a hundred times faster than RE2.
 */
const plainClass = /^\^\[(?!\^)(?:[A-Za-z0-9_+/=.,:;@!#%&*~ -]|\\[dw.+/-])+\](?:[+*]|\{\d{1,3}(?:,\d{0,3})?\})\$$/;

/** Matches texts within a budget, whatever the pattern and the text. */
export class Pattern {
  #plain: RegExp | undefined;
  #linear: RE2JS | undefined;
  #steps = Number.POSITIVE_INFINITY;

  constructor(readonly source: string) {}

  /**
   * Compiled before the first test. A pattern that is too large was deployed before builds had that limit, so no text
   * is tested.
   */
  compile(): void {
    this.#plain = plainClass.test(this.source) ? plainOf(this.source) : undefined;
    if (this.#plain || weightOf(this.source) > maxPatternWeight) return;
    this.#linear = compile(this.source);
    this.#steps = this.#linear.programSize() * stepsPerInstruction;
  }

  test(text: string, budget: Budget): boolean {
    if (this.#plain) {
      budget.spend(2 + (text.length >> 3));
      return this.#plain.test(text);
    }
    return budget.measure(this.#steps * (text.length + 1), () => this.#linear!.test(text));
  }
}

function plainOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

function compile(source: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(source));
}

/** Returns why a pattern cannot be used, or undefined if it can. */
export function patternProblem(source: string): string | undefined {
  if (weightOf(source) > maxPatternWeight) return "it is too large: shorten it, or repeat less";
  try {
    compile(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}

/**
 * Estimates an upper bound of a program's size from the text alone, because compiling must be bounded. A repetition
 * counts for everything before it in its group, which is more than it repeats.
 */
function weightOf(source: string): number {
  const open: number[] = [];
  let weight = 0;
  let last = 0;
  let isInClass = false;
  for (let at = 0; at < source.length && weight <= maxPatternWeight; at++) {
    const character = source[at]!;
    if (character === "\\") {
      at++;
      const isProperty = source[at] === "p" || source[at] === "P";
      if (isProperty && source[at + 1] === "{") at = Math.max(at, source.indexOf("}", at));
      const own = isProperty ? weightOfPropertyClass : 1;
      last = isInClass ? last + own : own;
      weight += own;
    } else if (isInClass) {
      if (character === "]") isInClass = false;
      weight += 1;
      last += 1;
    } else if (character === "[") {
      isInClass = true;
      last = 1;
      weight += 1;
    } else if (character === "(") {
      open.push(weight);
      weight += 1;
    } else if (character === ")") {
      last = weight - (open.pop() ?? 0);
    } else if (character === "{") {
      const times = /^\{(\d+)(?:,(\d*))?\}/.exec(source.slice(at, at + 20));
      if (!times) continue;
      const count = Math.max(Number(times[1]), Number(times[2] || 0), 1);
      weight += last * (count - 1);
      last *= count;
      at += times[0].length - 1;
    } else {
      weight += 1;
      last = 1;
    }
  }
  return weight;
}
