import type { ConsumerFinder } from "../consumer-addresses/consumer-address.ts";
import { inviteRoutes } from "./invite-routes.ts";
import { addedManagerRoutes } from "./manager-routes.ts";

export const managerAreas = {
  Managers: "The people who manage a consumer's keys, and invited e-mail addresses.",
};

export function managerRoutes(consumers: ConsumerFinder) {
  return [...addedManagerRoutes(consumers), ...inviteRoutes(consumers)];
}
