import { Slice, yieldToEventLoop } from "../../lib/tasks/slices.ts";
import { Preparation } from "./prepare.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Yields to the event loop in between, however many schemas are prepared at once. */
export async function prepareInSlices(schema: unknown): Promise<SchemaNode> {
  await yieldToEventLoop();
  const preparation = new Preparation(schema);
  const slice = new Slice();
  while (preparation.step()) if (slice.isOver) await slice.next();
  return preparation.top;
}
