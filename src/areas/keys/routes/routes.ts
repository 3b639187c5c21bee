import { bulkRoutes } from "./bulk.ts";
import { changeRoutes } from "./change.ts";
import { createRoutes } from "./create.ts";
import { readRoutes } from "./read.ts";
import type { KeyServices } from "./shared.ts";
import { verifyRoutes } from "./verify.ts";

export const keyAreas = {
  Keys: "API keys of a consumer. A change takes effect on the next request of the same node, and on every node within a second.",
};

export function keyRoutes(services: KeyServices) {
  return [
    ...readRoutes(services),
    ...createRoutes(services),
    ...changeRoutes(services),
    ...verifyRoutes(services),
    ...bulkRoutes(services),
  ];
}
