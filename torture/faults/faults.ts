import type { Part } from "../part.ts";
import { clockJumps } from "./clock-jumps.ts";
import { diskFull } from "./disk-full.ts";
import type { Fault } from "./fault.ts";
import { nodeCutOff } from "./node-cut-off.ts";
import { Promises } from "./promises.ts";
import { sandboxKilled } from "./sandbox-killed.ts";
import { slowUpstream } from "./slow-upstream.ts";
import { storageGone } from "./storage-gone.ts";

/** By their headings in docs/failures.md. */
const byHeading: Record<string, Fault> = {
  "PostgreSQL becomes unavailable and returns": storageGone,
  "The disk is full": diskFull,
  "The clock jumps": clockJumps,
  "An upstream is slow": slowUpstream,
  "A sandbox is killed": sandboxKilled,
  "A node is cut off from PostgreSQL": nodeCutOff,
};

/** Faults of what the server depends on, and what is promised in each. */
export const faults: Part = async (torture) => {
  for (const [heading, fault] of Object.entries(byHeading)) {
    const promises = new Promises(heading);
    const figures = await fault(promises, torture);
    promises.allKept();
    torture.report(`${heading}: ${figures}`);
  }
};
