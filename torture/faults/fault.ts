import type { Torture } from "../part.ts";
import type { Promises } from "./promises.ts";

/** Returns what was done, in figures. */
export type Fault = (promises: Promises, torture: Torture) => Promise<string>;
