import type { Endpoint } from "../api/endpoint.ts";
import type { Authentication } from "../areas/accounts/authentication.ts";
import { accountAreas, accountRoutes } from "../areas/accounts/routes.ts";
import { deleteBucketsOf } from "../areas/buckets/buckets.ts";
import type { BucketDirectory } from "../areas/buckets/directory.ts";
import { bucketAreas, bucketRoutes } from "../areas/buckets/routes.ts";
import type { Consumers } from "../areas/consumers/consumers.ts";
import { consumerAreas, consumerRoutes } from "../areas/consumers/routes.ts";
import { deleteDeploymentsOf } from "../areas/deployments/deployments.ts";
import type { LogFollowers } from "../areas/deployments/log-follower.ts";
import { deploymentAreas, deploymentRoutes } from "../areas/deployments/routes.ts";
import type { Starter } from "../areas/deployments/starter.ts";
import type { Uploads } from "../areas/deployments/uploads.ts";
import type { Keys } from "../areas/keys/keys.ts";
import { keyAreas, keyRoutes } from "../areas/keys/routes.ts";
import type { KeyVerifier } from "../areas/keys/verifier.ts";
import { managerAreas, managerRoutes } from "../areas/managers/routes.ts";
import { deleteMeteringOf } from "../areas/metering/buckets.ts";
import type { UsageEvents } from "../areas/metering/events.ts";
import type { Quotas } from "../areas/metering/quotas.ts";
import { meteringAreas, meteringRoutes } from "../areas/metering/routes.ts";
import { usageAreas, usageRoutes } from "../areas/metering/usage-routes.ts";
import { sessionAreas, sessionRoutes } from "../areas/sessions/routes.ts";
import type { Sessions } from "../areas/sessions/sessions.ts";
import type { Clock } from "../lib/clock.ts";
import type { OwnAddress } from "./own-address.ts";

export interface RouteDependencies {
  authentication: Authentication;
  sessions: Sessions;
  buckets: BucketDirectory;
  keys: Keys;
  verifier: KeyVerifier;
  consumers: Consumers;
  usageEvents: UsageEvents;
  quotas: Quotas;
  uploads: Uploads;
  starter: Starter;
  followers: LogFollowers;
  clock: Clock;
  address: OwnAddress;
}

/** Every endpoint of the management API. What an area removes when an account goes away is registered here. */
export function routes(dependencies: RouteDependencies): Endpoint[] {
  const { authentication, buckets, keys, verifier, consumers, address } = dependencies;
  return [
    ...accountRoutes(authentication, [deleteBucketsOf, deleteMeteringOf, deleteDeploymentsOf]),
    ...sessionRoutes(dependencies.sessions),
    ...bucketRoutes(),
    ...consumerRoutes(consumers, keys, buckets),
    ...keyRoutes(keys, consumers, verifier, buckets),
    ...managerRoutes(consumers),
    ...meteringRoutes(),
    ...usageRoutes(dependencies.usageEvents, dependencies.quotas),
    ...deploymentRoutes({
      uploads: dependencies.uploads,
      starter: dependencies.starter,
      followers: dependencies.followers,
      now: () => dependencies.clock.now(),
      publicUrl: () => address.publicUrl,
      urlOf: (name) => address.urlOf(name),
    }),
  ];
}

/** What each area is about, for the reference; in the order in which it lists them. */
export const areas = {
  ...consumerAreas,
  ...keyAreas,
  ...managerAreas,
  ...bucketAreas,
  ...meteringAreas,
  ...usageAreas,
  ...deploymentAreas,
  ...accountAreas,
  ...sessionAreas,
};
