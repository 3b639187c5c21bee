/** The meta-schema that builds validate schemas with: schemas accepted there are accepted here. */
export { patternProblem } from "./patterns.ts";
export { Preparation } from "./prepare.ts";
