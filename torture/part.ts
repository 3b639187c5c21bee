import type { Effort } from "./effort.ts";
import type { Random } from "./random.ts";

/** The input of a part of the torture. */
export interface Torture {
  random: Random;
  effort: Effort;
  /** Prints a line of what was done, in figures. */
  report(text: string): void;
}

/** Throws at the first promise that is broken. */
export type Part = (torture: Torture) => Promise<void>;
