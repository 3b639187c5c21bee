import { afterAll, beforeAll, expect, test } from "bun:test";
import { KeyAccount } from "../../../test/support/key-rules.ts";
import { MeteringAccount } from "../../../test/support/metering-rules.ts";
import { contextOf, pass, placeOf, route } from "../../../test/support/request-context.ts";
import { StoppablePostgres } from "../../../test/support/stoppable-postgres.ts";
import { TestStorage } from "../../../test/support/storage.ts";
import { until } from "../../../test/support/until.ts";
import { ConsumerDirectory } from "../../areas/api-keys/consumers/directory.ts";
import { openQuotaLedger } from "../../areas/commerce/metering/quotas/quota-source.ts";
import type { Subscription } from "../../areas/commerce/subscriptions/subscriptions.ts";
import { AuthorizationDirectory } from "../../areas/customer-portal/oauth/authorization-directory.ts";
import { IssuerDirectory } from "../../areas/customer-portal/oauth/issuer-directory.ts";
import { SigningKeyDirectory } from "../../areas/customer-portal/oauth/signing-key-directory.ts";
import { TokenVerifier } from "../../areas/customer-portal/oauth/token-verifier.ts";
import { RequestsInProgress } from "../../counting/limits/requests-in-progress.ts";
import { RateLimitWindows } from "../../counting/limits/windows.ts";
import { LedgerQuotas } from "../../counting/quotas/hold-quota.ts";
import type { QuotaLedger } from "../../counting/quotas/quota-ledger.ts";
import { Egress } from "../../platform/egress/egress.ts";
import { fetchJwksWith, JwksSources } from "../../platform/jwt/jwks-source.ts";
import type { Policy } from "../exchange/policy.ts";
import { PolicyFactory } from "./policies.ts";

let postgres: StoppablePostgres;
let storage: TestStorage;
let metering: MeteringAccount;
let ledger: QuotaLedger;
let windows: RateLimitWindows;
let policies: Policy[];
let known: { key: string; subscription: Subscription };
let unused: { key: string };

const send = (key: string) => {
  const request = new Request("http://shop.localhost/things", { headers: { authorization: `Bearer ${key}` } });
  return pass(policies, contextOf(request, { now: storage.clock.now() }));
};

beforeAll(async () => {
  postgres = await StoppablePostgres.create();
  const database = async () => ({ environment: { DATABASE_URL: postgres.url }, drop: async () => {} });
  storage = new TestStorage({ name: "postgres", freshDatabase: database, migratedDatabase: database });
  await storage.start();
  const keys = await KeyAccount.create(storage);
  metering = await MeteringAccount.create(storage.open, storage.clock, keys.account);
  const plan = await metering.plan({ requests: { max: 10 } });
  const [one, other] = [await keys.consumer("main"), await keys.consumer("main")];
  known = { key: one.key, subscription: await metering.subscribe(plan, one.consumer.name) };
  await metering.subscribe(plan, other.consumer.name);
  unused = { key: other.key };

  ledger = openQuotaLedger(storage.open);
  windows = new RateLimitWindows(storage.open);
  const { verifier } = keys;
  const consumers = new ConsumerDirectory(storage.open, verifier.buckets);
  const sources = new JwksSources(fetchJwksWith(new Egress("any")));
  const shared = { inProgress: new RequestsInProgress() };
  const tokens = new TokenVerifier(
    new AuthorizationDirectory(storage.open),
    new SigningKeyDirectory(storage.open),
    windows,
  );
  const oauth = { tokens, issuers: new IssuerDirectory(storage.open, ({ name }) => `http://${name}.localhost`) };
  const factory = new PolicyFactory({
    verifier,
    quotas: new LedgerQuotas(ledger),
    windows,
    consumers,
    sources,
    oauth,
    ...shared,
  });
  const make = (type: string, options: object) => factory.create(type, options, placeOf(keys.account.seq, type), route);
  policies = [
    make("api-key", { bucket: "main" }),
    make("rate-limit", { requests: 100, windowSeconds: 3600 }),
    make("quota", { bucketId: metering.bucket.id, meters: { requests: 1 } }),
  ];
  expect((await send(known.key)).status).toBe(200);
  await postgres.stop();
  await until(() => storage.open.feed.trust() === "away");
});

afterAll(async () => {
  await storage.stop();
  await postgres.remove();
});

test("while storage is unavailable, cached consumers are served up to the quota, others get 503, and no count is lost", async () => {
  for (let count = 1; count < 10; count++) expect((await send(known.key)).status).toBe(200);
  expect((await send(known.key)).status).toBe(429);

  const rejected = await send(unused.key);
  expect(rejected.status).toBe(503);
  expect(rejected.headers.get("retry-after")).toBe("1");
  expect(await rejected.json()).toMatchObject({ code: "storage_unavailable" });

  await ledger.flush();
  await windows.flush(storage.clock.now());
  expect(ledger.unwritten).toBe(1);

  await postgres.start();
  await until(() => storage.open.feed.trust() === "fresh");
  await ledger.flush();
  await windows.flush(storage.clock.now());
  expect(ledger.unwritten).toBe(0);
  expect(await metering.used(known.subscription)).toEqual({ requests: 10 });
  const { used } = await storage.open.reads.query.selectFrom("rate_limits").select("used").executeTakeFirstOrThrow();
  // The request above the quota had passed the rate limit.
  expect(used).toBe(11);
  expect((await send(unused.key)).status).toBe(200);
});
