import type { ConsumerFinder } from "../buckets/consumer-address.ts";
import { inviteRoutes } from "./invite-routes.ts";
import { addedManagerRoutes } from "./manager-routes.ts";

export const managerAreas = {
  Managers: "People who look after a consumer's keys, and e-mail addresses that are invited to.",
};

export function managerRoutes(consumers: ConsumerFinder) {
  return [...addedManagerRoutes(consumers), ...inviteRoutes(consumers)];
}
