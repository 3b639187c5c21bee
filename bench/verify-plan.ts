import { closeSync, openSync, readSync } from "node:fs";
import { bucketPath, type Dataset, keyWidth } from "./dataset.ts";
import type { LoadPlan } from "./load-plan.ts";
import { usualTurn } from "./measure.ts";
import { adminToken } from "./server.ts";

export const verifyPath = `${bucketPath}/verify-key`;

/** Verifies keys from a file, each with the same frequency. */
export function verifyPlan(keysFile: string): LoadPlan {
  return {
    ...usualTurn,
    method: "POST",
    path: verifyPath,
    token: adminToken,
    body: '{"key":"{slot}"}',
    slots: { file: keysFile, width: keyWidth, order: "random" },
  };
}

export function firstKey(dataset: Dataset): string {
  const key = Buffer.alloc(keyWidth);
  const file = openSync(dataset.keysFile, "r");
  readSync(file, key, 0, keyWidth, 0);
  closeSync(file);
  return key.toString();
}
