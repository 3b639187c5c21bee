/** What builds hold schemas against: what is accepted there is accepted here. */
export { patternProblem } from "./patterns.ts";
export { Preparation } from "./prepare.ts";
