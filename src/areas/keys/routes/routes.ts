import { bulkRoutes } from "./bulk.ts";
import { keyChangeRoutes } from "./change.ts";
import { createRoutes } from "./create.ts";
import { keyReadRoutes } from "./read.ts";
import type { KeyServices } from "./shared.ts";
import { verifyRoutes } from "./verify.ts";

export const keyAreas = {
  Keys: "API keys of a consumer. A change takes effect on the next request of the same node, and on every node within a second.",
};

export function keyRoutes(services: KeyServices) {
  return [
    ...keyReadRoutes(services),
    ...createRoutes(services),
    ...keyChangeRoutes(services),
    ...verifyRoutes(services),
    ...bulkRoutes(services),
  ];
}
