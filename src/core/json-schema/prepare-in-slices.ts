import { Turns } from "../../lib/tasks/turns.ts";
import { Preparation } from "./prepare.ts";
import type { SchemaNode } from "./schema-node.ts";

const sliceMilliseconds = 5;
const turns = new Turns();

/** While others are served in between, however many schemas are prepared at once. */
export async function prepareInSlices(schema: unknown): Promise<SchemaNode> {
  await turns.next();
  const preparation = new Preparation(schema);
  let began = performance.now();
  while (preparation.step()) {
    if (performance.now() - began < sliceMilliseconds) continue;
    await turns.next();
    began = performance.now();
  }
  return preparation.top;
}
